"""Typing errors in a question, corrected with the words of what it is asked of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import msgspec

from caveat.core.answers import Triple
from caveat.core.cache import LimitedCache
from caveat.core.languages import Language
from caveat.core.records import Correction, Document, KnowledgeBase, Question, Source, Table
from caveat.language.spelling import Words, corrected, unknown_words, with_stop_words, words_in

if TYPE_CHECKING:
    from caveat.library.search import Kind
    from caveat.library.state import State

# Of a library so many sources and characters are looked through for the word that is meant; and triples up to this
# many, since in more of them nearly any word is a name.
_MOST_SOURCES, _MOST_CHARACTERS, _MOST_TRIPLES = 2_000, 4_000_000, 200_000
# The words of collections are kept, up to so many of them.
_KEPT_WORDS = 1 << 20
_SEARCHED: tuple[Kind, ...] = ("document", "table")


class Triples(Protocol):
    """Triples, opened."""

    def __len__(self) -> int: ...

    def triples(self) -> Iterator[Triple]: ...


class CollectionWords:
    """The words of sources that are read as they are, and of those that are searched; counted when first needed."""

    def __init__(
        self,
        sources: Sequence[Source],
        states: Sequence[State],
        triples: Sequence[Triples],
        language: Language,
    ) -> None:
        self.states, self._language = states, language
        # They stay here as long as their words do, so that nothing else gets their identities.
        self._sources, self._triples = sources, triples

    def has(self, word: str) -> bool:
        """Whether a word is there; of what is searched, whatever its ending."""
        return word in self._read or any(
            state.find(word, kind, 1) for state in self.states for kind in _SEARCHED
        )

    @cached_property
    def words(self) -> Words:
        """All of them, those that are searched up to as many as are looked through."""
        counts = self._read.copy()
        for state in self.states:
            self._count(_held(state), counts)
        return with_stop_words(counts, self._language)

    @cached_property
    def _read(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        self._count((text for source in self._sources for text in _texts(source)), counts)
        for each in self._triples:
            said = (f"{one.subject}\n{one.predicate}\n{one.object}" for one in each.triples())
            self._count(said, counts)
        return counts

    def _count(self, texts: Iterable[str], counts: Counter[str]) -> None:
        for text in texts:
            counts.update(words_in(text, self._language))

    @property
    def size(self) -> int:
        """About how many words are kept."""
        texts = sum(len(text) for source in self._sources for text in _texts(source))
        return 1 + (texts + _MOST_CHARACTERS * len(self.states)) // 100


_kept: LimitedCache[CollectionWords] = LimitedCache(_KEPT_WORDS, lambda kept: kept.size)


def spelt(
    question: Question,
    sources: Sequence[Source],
    states: Sequence[State],
    opened: Callable[[KnowledgeBase], Triples],
) -> tuple[Question, tuple[Correction, ...]]:
    """The question without typing errors, as the words of sources and of libraries tell; and what was corrected."""
    language = question.spoken
    unknown = unknown_words(question.text, language)
    if not unknown:
        return question, ()
    bases = [each for each in sources if isinstance(each, KnowledgeBase)]
    bases += (base for state in states for base in state.bases().values())
    triples = [opened(base) for base in bases]
    if any(len(each) > _MOST_TRIPLES for each in triples):
        return question, ()
    key = language, *map(id, (*sources, *states, *triples))
    known = _kept.get(key, lambda: CollectionWords(sources, states, triples, language))
    text, made = corrected(question.text, unknown, language, known.has, lambda: known.words)
    if not made:
        return question, ()
    return msgspec.structs.replace(question, text=text, language=language), made


def _texts(source: Source) -> Iterator[str]:
    if isinstance(source, Document):
        yield source.title
        yield source.text
    elif isinstance(source, Table):
        yield "\n".join((source.caption, *source.headers, *(cell for row in source.rows for cell in row)))


def _held(state: State) -> Iterator[str]:
    """The texts of what is searched, up to as much as is looked through."""
    left = _MOST_CHARACTERS
    names = (entry.source for entry in state.entries() if entry.kind != "knowledge")
    for name in islice(names, _MOST_SOURCES):
        for text in _texts(state.document(name)):
            yield text[:left]
            left -= len(text)
            if left <= 0:
                return

"""A page made ready for questions: its rules, its elements' words, and which elements speak to a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.conditions.rules import Rulebook
from caveat.answerers.documents.spans import place_in
from caveat.answerers.ranking.features import Floats, match
from caveat.core.answers import Place
from caveat.core.languages import language_of
from caveat.core.records import Document
from caveat.language.bm25 import bm25
from caveat.language.packs import pack
from caveat.language.tokens import Integers, Vocabulary, long_form, pairs_of, stop_tokens, tokens
from caveat.models.decoding import Candidate
from caveat.sources.outline import element_at, heading_level
from caveat.sources.plain_text import parse_plain_text

# Of an element as long as a book the beginning is compared with a question; the reader reads all of it.
_LONGEST = 20_000
# Each item of a list has the words that introduce it, so they are counted as often.
_INTRODUCTION = 1000
_SAME_MATTER = 0.6


class Page:
    """A document with elements; made once, then asked for any question. May be used from several threads."""

    def __init__(self, document: Document) -> None:
        self.document, elements = document, document.elements
        self.language = language_of(document.text)
        self.book = Rulebook(document, self.language)
        self.is_heading = np.array([heading_level(each) > 0 for each in document.elements], dtype=np.bool_)
        # What is nothing but paragraphs has no rules that could be told from prose.
        self.is_structured = bool(self.is_heading.any()) or any(
            each.tag in ("li", "tr") for each in document.elements
        )
        self._stem, self._stop_words = pack(self.language).stem, stop_tokens(self.language)
        self._vocabulary, self._lock = Vocabulary(self._stem), Lock()
        own = [
            place.element.text[:_LONGEST]
            if place.introduction is None
            else f"{place.element.text[:_LONGEST]} {elements[place.introduction].text[-_INTRODUCTION:]}"
            for place in self.book.places
        ]
        over = [
            " ".join(elements[heading].text[:_LONGEST] for heading in place.headings)
            for place in self.book.places
        ]
        whole = [f"{a} {b}" for a, b in zip(own, over, strict=True)]
        # Chinese is compared by pairs of characters, which are looked for in the texts themselves.
        self._texts = (own, whole) if pack(self.language).in_pairs else None
        self._own, self._whole = map(self._vocabulary.encode, ((), ()) if self._texts else (own, whole))

    @classmethod
    def of(cls, document: Document) -> Page:
        """The page of a document; a text without elements is taken for plain text."""
        elements = document.elements or parse_plain_text(document.text).elements
        return cls(msgspec.structs.replace(document, elements=elements))

    def place(self, at: int) -> Place:
        """Where an element stands."""
        element = self.document.elements[at]
        return place_in(self.document, element.start, element.end)

    def with_introductions(self, elements: Iterable[int]) -> Iterable[int]:
        """Each once, an item of a list behind what introduces it: alone it says little."""
        found: dict[int, None] = {}
        for at in elements:
            introduction = self.book.places[at].introduction
            if introduction is not None:
                found.setdefault(introduction)
            found.setdefault(at)
        return found

    def shared(self, text: str) -> tuple[Floats, Floats]:
        """How much each element has of a text's words, as BM25, the best at 1: with its headings, and alone.

        What introduces its list counts as an item's own. All are 0 where no element shares anything.
        """
        if self._texts is not None:
            own, whole = (_bm25_of_pairs(pairs_of(text), texts) for texts in self._texts)
            return whole, own
        with self._lock:
            asked = self._vocabulary.encode([text])[:-1]
        return self._bm25(asked, self._whole), self._bm25(asked, self._own)

    def held_by(self, text: str) -> Callable[[int], bool]:
        """Whether an element, with the headings over it, has all of a text's words, small ones apart."""
        _, held = self.held(text)
        return lambda at: bool(held[at].all())

    def concerned(self, text: str) -> Callable[[int], bool]:
        """Whether an element speaks of what a text speaks of: by itself it has most of its words, small ones apart."""
        words = self.held(text)[0]

        def concerns(at: int) -> bool:
            there = frozenset(tokens(self.document.elements[at].text[:_LONGEST], self._stem))
            return sum(word in there for word in words) >= _SAME_MATTER * len(words)

        return concerns

    def covered(self, text: str) -> float:
        """The share of a text's words, small ones apart, that the element has which has most of them."""
        shares = self.covered_by(text)
        return float(shares.max()) if len(shares) else 0.0

    def covered_by(self, text: str) -> Floats:
        """The share of a text's words, small ones apart, that each element has with the headings over it."""
        words, held = self.held(text)
        shares: Floats = held.mean(1) if words else np.zeros(len(held))
        return shares

    def held(self, text: str) -> tuple[list[str], NDArray[np.bool_]]:
        """A text's words without their endings, small ones apart, and which of them each element has with its headings.

        A row for each element, a column for each word; in Chinese for each pair of characters.
        """
        if self._texts is not None:
            pairs = pairs_of(text)
            return pairs, _counted(pairs, self._texts[1]) > 0
        with self._lock:
            asked = self._vocabulary.encode([text])[:-1]
        numbers = {
            word: number
            for word, number in zip(tokens(text, self._stem), asked.tolist(), strict=True)
            if word not in self._stop_words and len(word) > 1
        }
        count = len(self.document.elements)
        if not numbers or not count:
            return list(numbers), np.zeros((count, len(numbers)), dtype=np.bool_)
        found = match(np.array(list(numbers.values()), dtype=np.int32), self._whole).runs[0]
        return list(numbers), found.counted(np.arange(count), count) > 0

    def _bm25(self, asked: Integers, texts: Integers) -> Floats:
        count = len(self.document.elements)
        if not len(asked) or not count:
            return np.zeros(count)
        matches = match(asked, texts)
        return _at_most_1(bm25(matches.runs[0].counted(np.arange(count), count), matches.lengths))


def _counted(pairs: Sequence[str], texts: Sequence[str]) -> Floats:
    """How often each text has each pair; in lower case, as the pairs are.

    A pair that no text has is looked for with characters between: 年假 is short for 年休假.
    """
    lower = list(map(str.casefold, texts))
    columns = [[text.count(pair) for text in lower] for pair in pairs]
    for at, pair in enumerate(pairs):
        if len(pair) == 2 and not any(columns[at]):
            longer = long_form(pair)
            columns[at] = [len(longer.findall(text)) for text in lower]
    return np.array(columns, dtype=np.float64).reshape(len(pairs), len(texts)).T


def _bm25_of_pairs(pairs: Sequence[str], texts: Sequence[str]) -> Floats:
    if not pairs or not texts:
        return np.zeros(len(texts))
    return _at_most_1(bm25(_counted(pairs, texts), np.array(list(map(len, texts)), dtype=np.intp)))


def _at_most_1(scores: Floats) -> Floats:
    best = float(scores.max())
    return scores / best if best > 0 else scores


def elements_of_spans(page: Page, candidates: Iterable[Candidate]) -> dict[int, Candidate]:
    """The best span of each element that has one, best first."""
    found: dict[int, Candidate] = {}
    for candidate in sorted(candidates, key=lambda candidate: -candidate.score):
        at = element_at(page.document, candidate.start)
        if at is not None:
            found.setdefault(at, candidate)
    return found

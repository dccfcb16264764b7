"""What of a collection is worth asking, as search tells; and how much that counts for what is answered from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import exp, log10
from typing import NamedTuple

import msgspec

from caveat.core.answers import Answer, Condition, Place
from caveat.core.cache import LimitedCache
from caveat.core.errors import UnknownNameError
from caveat.core.records import Document, Reply, Source, Table
from caveat.library.excerpts import Excerpt, excerpt
from caveat.library.search import Found
from caveat.library.state import State
from caveat.sources.outline import headings_at, page_at

# Passages that are asked at most, and how well one has to fit beside the best: of 100 questions one loses its answer to
# this, and two documents are read instead of seven (docs/results/library.md). Where there are no more, nothing is left
# to be chosen.
_PASSAGES, _SHARE_OF_BEST = 8, 0.6
# Characters that are read of all documents together, and at least of each.
_CHARACTERS, _LEAST_CHARACTERS = 6_000, 1_000
# Tables among which the table ranker chooses, and rows that are looked at to find them where there are more.
_TABLES, _ROWS = 8, 40
# An answer's log-odds against there being none, for each share of the question that its passage has more than expected;
# chosen by log loss on 240 questions to 25,000 passages, a third of which these do not answer. The fewer passages there
# are, the less is found by chance: it is as much less for each power of ten.
_LOG_ODDS, _EXPECTED = 8.0, 0.6
_POWERS_OF_TEN = 4
# A question of two words is soon found whole.
_MOST_SHARE = 0.85
# What is weighed anew; more have next to nothing.
_WEIGHED = 10
_KEPT_TABLES = 64


class Shelf:
    """Sources that are searched together, under the names that replies give them."""

    def __init__(
        self,
        state: Callable[[], State],
        shown: Callable[[str], str] = str,
        real: Callable[[str], str] = str,
        held: tuple[Source, ...] = (),
    ) -> None:
        """`state` is what there is now; `shown` gives the name that an asker knows of a name in there, `real` back.

        `held` are the sources themselves, of what is in memory alone.
        """
        self.state, self.shown, self.real, self.held = state, shown, real, held
        # By identity: what was prepared of a table is found again by the table itself.
        self._tables: LimitedCache[tuple[Table, Table]] = LimitedCache(_KEPT_TABLES)

    def document(self, state: State, number: int) -> Document:
        """A document under the name that is shown."""
        found = state.source(number)
        assert isinstance(found, Document)
        name = self.shown(found.url)
        return found if name == found.url else msgspec.structs.replace(found, url=name)

    def table(self, state: State, number: int) -> Table:
        """A table under the name that is shown."""
        found = state.source(number)
        assert isinstance(found, Table)
        name = self.shown(found.id) if found.id else ""
        if name == found.id:
            return found
        return self._tables.get(id(found), lambda: (found, msgspec.structs.replace(found, id=name)))[1]

    def named(self, names: Iterable[str]) -> Iterator[tuple[str, Source]]:
        """Those of the names that are here, and what is there under each."""
        state = self.state()
        for name in names:
            try:
                found = state.document(self.real(name))
            except UnknownNameError:
                continue  # it is elsewhere, or left meanwhile
            if isinstance(found, Document):
                found = msgspec.structs.replace(found, url=name)
            elif isinstance(found, Table) and found.id:
                found = msgspec.structs.replace(found, id=name)
            yield name, found


def choose(shelf: Shelf, question: str) -> Chosen:
    """What is worth asking: documents and tables that search finds, and all triples.

    Of long documents it is the sections in which something was found. Where there is one text, or no more than would be
    chosen, texts are read whole, and weighed by nothing but what they say; one that has no word of the question is left
    out.
    """
    state = shelf.state()
    whole = state.passages <= _PASSAGES or state.few("document", 1) is not None
    documents = {} if whole else _documents(shelf, state, question)
    bases = state.bases()
    sources: list[Source] = list(_whole(shelf, state, question)) if whole else []
    sources += (each.excerpt.document for each in documents.values())
    sources += _tables(shelf, state, question)
    sources += bases.values()
    names = {base.path: shelf.shown(name) for name, base in bases.items()}
    return Chosen(tuple(sources), documents, names, _strength(state.passages), shelf, state)


class _Candidate(NamedTuple):
    """A document that may answer: what of it is read, its passages with their shares of the question, its copies."""

    excerpt: Excerpt
    passages: list[tuple[Found, float]]
    copies: list[str]


class Chosen(NamedTuple):
    """What a question is asked of: documents, tables, triples as files; which are excerpts, and how much search counts.

    Without excerpts a reply stays as it is, but for the names of triples.
    """

    sources: tuple[Source, ...]
    documents: Mapping[str, _Candidate]
    bases: Mapping[str, str]
    strength: float
    shelf: Shelf
    state: State

    def holds(self) -> bool:
        """Whether all is as it was: else files of triples may be gone, and it has to be chosen again."""
        return self.shelf.state() is self.state

    def wanted(self, top: int) -> int:
        """How many answers are to be asked for where so many are wanted: some change places afterwards."""
        return max(top, _WEIGHED) if self.documents else top

    def placed(self, reply: Reply, top: int) -> Reply:
        """The best of the reply from these sources, with places in the whole documents."""
        reply = _renamed(reply, self.documents, self.bases)
        return _weighed(reply, self.documents, self.strength, top) if self.documents else reply


def _whole(shelf: Shelf, state: State, question: str) -> Iterator[Document]:
    """The few documents that have something of the question."""
    found = {each.source for each in state.find(question, "document", _PASSAGES)}
    for number in state.few("document", _PASSAGES) or ():
        if number in found:
            yield shelf.document(state, number)


def _documents(shelf: Shelf, state: State, question: str) -> dict[str, _Candidate]:
    """The documents with the best passages, by their names; of copies the first."""
    found = state.find(question, "document", _PASSAGES)
    near = [each for each in found if each.score >= _SHARE_OF_BEST * found[0].score]
    grouped: dict[int, list[tuple[Found, float]]] = {}
    for each, share in zip(near, state.shares(question, near), strict=True):
        grouped.setdefault(each.source, []).append((each, share))
    most = max(_LEAST_CHARACTERS, _CHARACTERS // max(1, len(grouped)))
    chosen: dict[str, _Candidate] = {}
    copies: dict[str, _Candidate] = {}
    for number, passages in grouped.items():
        document = shelf.document(state, number)
        if document.text in copies:
            copies[document.text].copies.append(document.url)
            continue
        part = excerpt(document, [(each.start, each.end) for each, _ in passages], most)
        copies[document.text] = chosen[document.url] = _Candidate(part, passages, [])
    return chosen


def _tables(shelf: Shelf, state: State, question: str) -> Iterator[Table]:
    """All tables where they are few, as a table need not say what it is about; else those with the best rows."""
    numbers = state.few("table", _TABLES)
    if numbers is None:
        found = state.find(question, "table", _ROWS)
        numbers = list(dict.fromkeys(each.source for each in found))[:_TABLES]
    for number in numbers:
        yield shelf.table(state, number)


def _renamed(reply: Reply, documents: Mapping[str, _Candidate], bases: Mapping[str, str]) -> Reply:
    """The reply with places in the whole documents, and those of copies as evidence."""

    def place(found: Place) -> Place:
        candidate = documents.get(found.source)
        if candidate is None:
            return msgspec.structs.replace(found, source=bases.get(found.source, found.source))
        if found.start is None or found.end is None:
            return found
        start, end = candidate.excerpt.original(found.start, found.end)
        whole = candidate.excerpt.whole
        return msgspec.structs.replace(
            found, start=start, end=end, headings=headings_at(whole, start), page=page_at(whole, start)
        )

    def condition(found: Condition) -> Condition:
        return msgspec.structs.replace(found, place=found.place and place(found.place))

    def answer(found: Answer) -> Answer:
        own = found.place and place(found.place)
        evidence = [*map(place, found.evidence), *(_copies(own, documents) if own else ())]
        return msgspec.structs.replace(
            found,
            place=own,
            conditions=tuple(map(condition, found.conditions)),
            evidence=tuple(dict.fromkeys(evidence)),
            parts=tuple(map(answer, found.parts)),
        )

    return msgspec.structs.replace(reply, answers=tuple(map(answer, reply.answers)))


def _copies(place: Place, documents: Mapping[str, _Candidate]) -> Iterator[Place]:
    candidate = documents.get(place.source)
    for name in candidate.copies if candidate is not None else ():
        yield msgspec.structs.replace(place, source=name)


def _strength(passages: int) -> float:
    """How much a share of the question counts in a library of so many passages."""
    return _LOG_ODDS * min(1.0, log10(max(1, passages)) / _POWERS_OF_TEN)


def _weighed(reply: Reply, documents: Mapping[str, _Candidate], strength: float, top: int) -> Reply:
    """The reply with each answer from a text weighed by how much of the question its passage has.

    Answers that hold together keep their probabilities; whether there is an answer at all is weighed by the first.
    """

    def factor(answer: Answer) -> float:
        share = _share(answer, documents)
        return 1.0 if share is None else exp(strength * (min(share, _MOST_SHARE) - _EXPECTED))

    if not reply.answers:
        return reply
    if reply.together:
        some = (1 - reply.unanswerable) * factor(reply.answers[0])
        none = reply.unanswerable / (some + reply.unanswerable) if some else 1.0
        return msgspec.structs.replace(reply, unanswerable=none)
    weighed = [(answer.score * factor(answer), answer) for answer in reply.answers]
    # What was not listed is taken to be as the average of what was.
    listed = sum(answer.score for answer in reply.answers)
    rest = max(0.0, 1 - reply.unanswerable - listed)
    total = sum(weight for weight, _ in weighed)
    total += reply.unanswerable + (rest * total / listed if listed else rest)
    if not total:
        return reply
    answers = sorted(
        (msgspec.structs.replace(answer, score=min(1.0, weight / total)) for weight, answer in weighed),
        key=lambda answer: -answer.score,
    )
    none = min(1.0, reply.unanswerable / total)
    return msgspec.structs.replace(reply, answers=tuple(answers[:top]), unanswerable=none)


def _share(answer: Answer, documents: Mapping[str, _Candidate]) -> float | None:
    """The share of the question that the passage of an answer has; None for what is from no text.

    What stands beside the passages that were found has no more than the least of them; yes and no are of all of them.
    """
    place = answer.place
    if answer.kind in ("yes", "no"):
        return max((share for each in documents.values() for _, share in each.passages), default=None)
    candidate = documents.get(place.source) if place is not None else None
    if candidate is None or place is None or place.start is None or place.end is None:
        return None
    inside = [
        share for each, share in candidate.passages if each.start < place.end and place.start < each.end
    ]
    return max(inside) if inside else min(share for _, share in candidate.passages)

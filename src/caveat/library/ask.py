"""A question asked of a library: what search finds is read, looked up and computed by the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import exp, log10
from typing import NamedTuple

import msgspec

from caveat.answerers.engine import Engine
from caveat.core.errors import InputError
from caveat.core.records import Answer, Condition, Document, Place, Question, Reply, Source, Table
from caveat.core.script import Language
from caveat.library.excerpts import Excerpt, excerpt
from caveat.library.library import Library
from caveat.library.search import Found
from caveat.library.state import State
from caveat.sources.outline import headings_at, page_at

__all__ = ["Retrieved", "ask_library", "retrieve"]

# Passages that are asked at most, and how well one has to fit beside the best: of 100 questions one loses its answer to
# this, and two documents are read instead of seven (docs/results/library.md).
_PASSAGES, _SHARE_OF_BEST = 8, 0.6
# Characters that are read of all documents together, and at least of each.
_CHARACTERS, _LEAST_CHARACTERS = 6_000, 1_000
# Tables among which the table ranker chooses, and rows that are looked at to find them.
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


def ask_library(
    engine: Engine,
    library: Library,
    question: str | Question,
    *,
    scenario: str = "",
    top: int = 5,
    language: Language | None = None,
    structure: bool = True,
) -> Reply:
    """The `top` most probable answers from all that is in a library, and how probable it is that there is none.

    It is as `Engine.ask` with the documents and tables that search finds, and all triples; of a long document the
    sections in which something was found are read. Places are those in the whole documents. How much of the question a
    passage has counts for the answers in it, and against them.
    """
    text = question if isinstance(question, str) else question.text
    while True:
        retrieved = retrieve(library, text)
        if not retrieved.sources:
            asked = question if isinstance(question, Question) else Question(text, scenario, language)
            return Reply(asked, (), 1.0)
        try:
            reply = engine.ask(
                question,
                *retrieved.sources,
                scenario=scenario,
                top=retrieved.wanted(top),
                language=language,
                structure=structure,
            )
        except InputError:
            if retrieved.holds(library):
                raise
            continue
        return retrieved.placed(reply, top)


def retrieve(library: Library, question: str) -> Retrieved:
    """What of a library is worth asking: the documents and tables that search finds, and all triples."""
    state = library.state()
    documents = _documents(state, question)
    bases = state.bases()
    sources: list[Source] = [each.excerpt.document for each in documents.values()]
    sources += _tables(state, question)
    sources += bases.values()
    names = {base.path: name for name, base in bases.items()}
    return Retrieved(tuple(sources), documents, names, _strength(state.passages), state)


class _Candidate(NamedTuple):
    """A document that may answer: what of it is read, its passages with their shares of the question, its copies."""

    excerpt: Excerpt
    passages: list[tuple[Found, float]]
    copies: list[str]


class Retrieved(NamedTuple):
    """What a question is asked of: documents as excerpts, tables, triples as files; and how much search counts for."""

    sources: tuple[Source, ...]
    documents: Mapping[str, _Candidate]
    bases: Mapping[str, str]
    strength: float
    state: State

    def holds(self, library: Library) -> bool:
        """Whether the library is as it was: else the files of its triples may be gone, and it has to be asked again."""
        return library.state() is self.state

    @staticmethod
    def wanted(top: int) -> int:
        """How many answers are to be asked for where so many are wanted: some change places afterwards."""
        return max(top, _WEIGHED)

    def placed(self, reply: Reply, top: int) -> Reply:
        """The best of the reply from these sources, with places in the library's own."""
        return _weighed(_renamed(reply, self.documents, self.bases), self.documents, self.strength, top)


def _documents(state: State, question: str) -> dict[str, _Candidate]:
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
        document = state.source(number)
        assert isinstance(document, Document)
        if document.text in copies:
            copies[document.text].copies.append(document.url)
            continue
        part = excerpt(document, [(each.start, each.end) for each, _ in passages], most)
        copies[document.text] = chosen[document.url] = _Candidate(part, passages, [])
    return chosen


def _tables(state: State, question: str) -> list[Table]:
    found = dict.fromkeys(each.source for each in state.find(question, "table", _ROWS))
    tables = (state.source(number) for number in list(found)[:_TABLES])
    return [table for table in tables if isinstance(table, Table)]


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

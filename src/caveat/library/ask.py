"""A question asked of a library: what search finds is read, looked up and computed by the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from caveat.answerers.engine import Engine
from caveat.core.records import Answer, Condition, Document, Place, Question, Reply, Source, Table
from caveat.core.script import Language
from caveat.library.excerpts import Excerpt, excerpt
from caveat.library.library import Library
from caveat.library.state import State
from caveat.sources.outline import headings_at

__all__ = ["Retrieved", "ask_library", "retrieve"]

# Passages that are asked at most, and how well one has to fit beside the best: of 100 questions one loses its answer to
# this, and two documents are read instead of seven (docs/results/library.md).
_PASSAGES, _SHARE_OF_BEST = 8, 0.6
# Characters that are read of a document at most.
_MOST_CHARACTERS = 4_000
# Tables among which the table ranker chooses, and rows that are looked at to find them.
_TABLES, _ROWS = 8, 40


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
    sections in which something was found are read. Places are those in the whole documents.
    """
    text = question if isinstance(question, str) else question.text
    retrieved = retrieve(library, text)
    if not retrieved.sources:
        return Reply(
            question if isinstance(question, Question) else Question(text, scenario, language), (), 1.0
        )
    reply = engine.ask(
        question, *retrieved.sources, scenario=scenario, top=top, language=language, structure=structure
    )
    return retrieved.placed(reply)


def retrieve(library: Library, question: str) -> Retrieved:
    """What of a library is worth asking: the documents and tables that search finds, and all triples."""
    state = library.state()
    documents = _documents(state, question)
    bases = state.bases()
    sources: list[Source] = [each.excerpt.document for each in documents.values()]
    sources += _tables(state, question)
    sources += bases.values()
    return Retrieved(tuple(sources), documents, {base.path: name for name, base in bases.items()})


class _Candidate(NamedTuple):
    """A document that may answer, how well its best passage fits, and the names of its copies."""

    excerpt: Excerpt
    score: float
    copies: list[str]


class Retrieved(NamedTuple):
    """What a question is asked of; documents as excerpts, triples as files."""

    sources: tuple[Source, ...]
    documents: Mapping[str, _Candidate]
    bases: Mapping[str, str]

    def placed(self, reply: Reply) -> Reply:
        """The reply from these sources with places in the library's own."""
        return _renamed(reply, self.documents, self.bases)


def _documents(state: State, question: str) -> dict[str, _Candidate]:
    """The documents with the best passages, by their names; of copies the first."""
    spans: dict[int, list[tuple[int, int]]] = {}
    scores: dict[int, float] = {}
    found = state.find(question, "document", _PASSAGES)
    for each in found:
        if each.score >= _SHARE_OF_BEST * found[0].score:
            spans.setdefault(each.source, []).append((each.start, each.end))
            scores.setdefault(each.source, each.score)
    chosen: dict[str, _Candidate] = {}
    copies: dict[str, _Candidate] = {}
    for number, places in spans.items():
        document = state.source(number)
        assert isinstance(document, Document)
        if document.text in copies:
            copies[document.text].copies.append(document.url)
        else:
            part = excerpt(document, places, _MOST_CHARACTERS)
            copies[document.text] = chosen[document.url] = _Candidate(part, scores[number], [])
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
        headings = headings_at(candidate.excerpt.whole, start)
        return msgspec.structs.replace(found, start=start, end=end, headings=headings)

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

"""ComplexWebQuestions: questions that need several web pages; the context is what a search found.

The questions come without text; the web snippets are the companion (`web_snippets_dev.json` …). A question
has several queries, itself and the simpler questions it was split into: their snippets are taken in turn,
best first, so that each query has its part in the 800 tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import msgspec

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion, join_documents
from caveat.benchmarks.mrqa.sources.records import open_records
from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["SOURCE", "read"]

KINDS = ("composition", "conjunction")
NO_ANSWER = "no answer given"
SEVERAL_ANSWERS = "several answers"
NO_SNIPPETS = "no web snippets"


class _Answer(msgspec.Struct):
    answer: str | None = None
    aliases: list[str] = []


class _Question(msgspec.Struct):
    id: str = msgspec.field(name="ID")
    question: str
    kind: str = msgspec.field(name="compositionality_type")
    # One string in some copies, a list of answers with aliases upstream, under either key.
    answer: str | list[_Answer | str] | None = None
    answers: list[_Answer | str] | None = None


class _Snippet(msgspec.Struct, frozen=True):
    title: str | None = None
    snippet: str | None = None


class _Search(msgspec.Struct):
    question_id: str = msgspec.field(name="question_ID")
    snippets: list[_Snippet] = msgspec.field(name="web_snippets")


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a question of those that join two simpler questions and have a single answer."""
    if documents is None:
        raise InputError(
            "has questions without any text to answer them from: give the web snippets "
            "(web_snippets_*.json of ComplexWebQuestions) with --documents",
            path=path,
        )
    searches: dict[str, list[list[_Snippet]]] = {}
    _, records = open_records(documents)
    for record in records:
        search = record.to(_Search)
        searches.setdefault(search.question_id, []).append(search.snippets)
    _, records = open_records(path)
    for record in records:
        question = record.to(_Question)
        answers = _answers(question)
        snippets = _in_turn(searches.get(question.id, []))
        if question.kind not in KINDS:
            drops.add(f"{question.kind} question", question.id)
        elif len(answers) != 1:
            drops.add(SEVERAL_ANSWERS if answers else NO_ANSWER, question.id)
        elif not snippets:
            drops.add(NO_SNIPPETS, question.id)
        else:
            text = join_documents((snippet.title, [snippet.snippet or ""]) for snippet in snippets)
            asked = SourceQuestion(question.id, question.question.strip(), answers[0])
            yield SourceContext(text, (asked,), question.id)


def _answers(question: _Question) -> list[tuple[str, ...]]:
    """Each answer with its aliases."""
    given = question.answers if question.answers is not None else question.answer
    if isinstance(given, str):
        given = [given]
    answers = []
    for answer in given or []:
        names = [answer] if isinstance(answer, str) else [answer.answer or "", *answer.aliases]
        if known := tuple(dict.fromkeys(name.strip() for name in names if name.strip())):
            answers.append(known)
    return answers


def _in_turn(searches: list[list[_Snippet]]) -> list[_Snippet]:
    """The first snippet of each query, then the second of each …, none twice."""
    ranks = zip_longest(*searches)
    return list(dict.fromkeys(snippet for rank in ranks for snippet in rank if snippet is not None))


SOURCE = MrqaSource(
    name="complexwebquestions",
    dataset="ComplexWebQuestions",
    reads="the question file (ComplexWebQuestions_dev.json …)",
    read=read,
    documents="the web snippets (web_snippets_dev.json …)",
)

"""QAST: questions on transcribed lectures (CLEF 2007, task 1); contexts are sections of at most 800 tokens.

The transcripts went to participants only and their format is not public, so this reads a plain one of its
own, a JSON list or one object a line:

    {"id": "…", "title": "…", "sections": ["text", …],
     "questions": [{"id": "…", "question": "…", "answers": ["…", …]}, …]}

A question goes with the first section that has one of its answers; longer sections are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources.build import MAXIMUM_TOKENS, MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.records import open_records
from caveat.core.files import PathLike
from caveat.language.occurrences import Occurrences

__all__ = ["SOURCE", "read"]

NOT_FOUND = f"no answer in a section of at most {MAXIMUM_TOKENS} tokens"


class _Question(msgspec.Struct):
    id: str | int
    question: str
    answers: list[str]


class _Lecture(msgspec.Struct):
    id: str | int
    sections: list[str]
    questions: list[_Question]
    title: str = ""


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The sections that answer a question, each with its questions."""
    _, records = open_records(path)
    for record in records:
        lecture = record.to(_Lecture)
        sections = [Occurrences(" ".join(section.split())) for section in lecture.sections]
        fitting = {number: s for number, s in enumerate(sections) if len(s.tokens) <= MAXIMUM_TOKENS}
        asked: dict[int, list[SourceQuestion]] = {number: [] for number in fitting}
        for question in lecture.questions:
            place = _place(question, fitting)
            if place is None:
                drops.add(NOT_FOUND, question.id)
            else:
                asked[place].append(
                    SourceQuestion(str(question.id), question.question.strip(), tuple(question.answers))
                )
        for number, questions in asked.items():
            if questions:
                yield SourceContext(fitting[number].text, tuple(questions), f"{lecture.id}:{number}")


def _place(question: _Question, sections: dict[int, Occurrences]) -> int | None:
    return next(
        (n for n, section in sections.items() if any(section.of(answer) for answer in question.answers)), None
    )


SOURCE = MrqaSource(
    name="qast",
    dataset="QAST",
    reads="lectures in sections with their questions, as JSON",
    read=read,
)

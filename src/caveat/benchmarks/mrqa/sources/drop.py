"""DROP: questions that need reasoning over a paragraph; only those whose answer is one span of it.

Read from the published JSON or from a simplified copy, a prompt and its completions a line, whose answers
have lost their types: a bare number or a date in DROP's own spelling is taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.records import Record, open_records
from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["DROP", "read"]

_NUMBER = "number answer"
_DATE = "date answer"
_SEVERAL = "several spans"
_NONE = "no answer"

_PROMPT = re.compile(r"Passage: (.*)\nQuestion: (.*)\nAnswer:\s*", re.DOTALL)
_BARE_NUMBER = re.compile(r"-?(?:\d[\d,]*)?\.?\d+")
# Day, month and year joined with blanks, any of them empty: "8 May 1945", " May 1945", "  1945".
_DATE_TEXT = re.compile(
    r"\d* (?:January|February|March|April|May|June|July|August|September|October|November|December)? \d*"
)


class _Date(msgspec.Struct):
    day: str = ""
    month: str = ""
    year: str = ""


class _Answer(msgspec.Struct):
    number: str | int | float = ""
    date: _Date = msgspec.field(default_factory=_Date)
    spans: list[str] = []


class _Question(msgspec.Struct):
    query_id: str
    question: str
    answer: _Answer
    validated_answers: list[_Answer] = []


class _Passage(msgspec.Struct):
    passage: str
    qa_pairs: list[_Question]


class _Prompt(msgspec.Struct):
    context: str
    completion: str
    ref_text: str = ""


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a passage, with the questions whose answer is a single span."""
    fields, records = open_records(path)
    if fields >= {"context", "completion"}:
        yield from _simplified(records, drops)
    else:
        yield from _native(records, drops)


def _native(records: Iterable[Record], drops: Drops) -> Iterator[SourceContext]:
    for record in records:
        for passage_id, raw in record.to(dict[str, msgspec.Raw]).items():
            try:
                passage = Record(bytes(raw), record.path, record.number).to(_Passage)
            except InputError as error:
                raise InputError(error.problem, path=record.path, id=error.id or passage_id) from None
            questions = []
            for question in passage.qa_pairs:
                if reason := _unfit(question.answer):
                    drops.add(reason, question.query_id)
                    continue
                given = (question.answer, *question.validated_answers)
                answers = dict.fromkeys(answer.spans[0] for answer in given if not _unfit(answer))
                questions.append(SourceQuestion(question.query_id, question.question, tuple(answers)))
            yield SourceContext(passage.passage, tuple(questions), passage_id)


def _unfit(answer: _Answer) -> str | None:
    """Why an answer is not a single span."""
    if str(answer.number):
        return _NUMBER
    if answer.date.day or answer.date.month or answer.date.year:
        return _DATE
    if len(answer.spans) != 1:
        return _SEVERAL if answer.spans else _NONE
    return None


def _simplified(records: Iterable[Record], drops: Drops) -> Iterator[SourceContext]:
    # The lines of one passage are scattered over the file, so they are gathered first.
    passages: dict[str, list[SourceQuestion]] = {}
    for record in records:
        prompt = record.to(_Prompt)
        qid = str(record.number)
        parts = _PROMPT.fullmatch(prompt.context)
        if parts is None:
            raise InputError(
                "expected a context of the form `Passage: … Question: … Answer:`",
                path=record.path,
                line=record.line,
            )
        # Exactly one blank stands before a completion; more belong to the answer (see _DATE_TEXT).
        golds = prompt.ref_text.split("|") if prompt.ref_text else [prompt.completion.removeprefix(" ")]
        questions = passages.setdefault(parts[1], [])
        if reason := _unfit_text(golds[0]):
            drops.add(reason, qid)
        else:
            answers = dict.fromkeys(gold.strip() for gold in golds if not _unfit_text(gold))
            questions.append(SourceQuestion(qid, parts[2].strip(), tuple(answers)))
    for text, asked in passages.items():
        yield SourceContext(text, tuple(asked))


def _unfit_text(gold: str) -> str | None:
    if not gold.strip():
        return _NONE
    if _DATE_TEXT.fullmatch(gold):
        return _DATE
    return _NUMBER if _BARE_NUMBER.fullmatch(gold.strip()) else None


DROP = MrqaSource(
    name="drop",
    dataset="DROP",
    reads="DROP's JSON, or its simplified JSON lines",
    read=read,
)

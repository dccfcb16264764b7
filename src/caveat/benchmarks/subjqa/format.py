"""SubjQA: questions on reviews, as CSV with one row an annotator.

Every review ends in the word ANSWERNOTFOUND, which annotators marked where nothing answers; it is no part of
the review and is cut off. `human_ans_spans` is tokenised text, so the answer is what stands at
`human_ans_indices`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any

from caveat.benchmarks.registry import Format, records_of
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.benchmarks.task import DataSet
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines

_NOT_FOUND = "ANSWERNOTFOUND"
_INDICES = re.compile(r"\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_OF_ANSWER = ("answer_subj_level", "ans_subj_score", "is_ans_subjective")
_NEEDED = ("q_review_id", "question", "review_id", "review", "human_ans_spans", "human_ans_indices")

_Row = Mapping[str, str]


def read_passages(path: PathLike) -> Iterator[Passage]:
    """Each review with its questions, in the order of the file; a question's rows become alternative answers.

    A question is unanswerable where every annotator says so; `annotations` and `not_found` count them.
    """
    reviews: dict[str, dict[str, list[tuple[int, _Row]]]] = {}
    for number, row in _rows(path):
        questions = reviews.setdefault(row["review_id"], {})
        questions.setdefault(row["q_review_id"], []).append((number, row))
    for index, (review_id, questions) in enumerate(reviews.items()):
        first = next(iter(questions.values()))[0][1]
        text = first["review"].removesuffix(_NOT_FOUND).rstrip()
        asked = tuple(_question(id, rows, text, path) for id, rows in questions.items())
        yield Passage(text, asked, id=review_id, article=index)


def _rows(path: PathLike) -> Iterator[tuple[int, _Row]]:
    reader = csv.DictReader(f"{line}\n" for _, line in read_lines(path))
    try:
        missing = [name for name in _NEEDED if name not in (reader.fieldnames or ())]
        if missing:
            raise InputError(f"there is no column {missing[0]}", path=path, line=1)
        for row in reader:
            if None in row or None in row.values():
                problem = f"expected {len(reader.fieldnames or ())} columns, as in the first line"
                raise InputError(problem, path=path, line=reader.line_num)
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"broken CSV: {error}", path=path, line=reader.line_num) from None


def _question(id: str, rows: list[tuple[int, _Row]], text: str, path: PathLike) -> PassageQuestion:
    spans = [_span(row, text, path, number) for number, row in rows]
    found = [span for span in spans if span is not None]
    first = rows[0][1]
    extra: dict[str, Any] = {key: value for key, value in first.items() if key not in (*_NEEDED, *_OF_ANSWER)}
    extra |= {"annotations": len(spans), "not_found": len(spans) - len(found), "is_impossible": not found}
    return PassageQuestion(id, first["question"], tuple((span,) for span in found), extra)


def _span(row: _Row, text: str, path: PathLike, number: int) -> GoldSpan | None:
    if row["human_ans_spans"] == _NOT_FOUND:
        return None
    match = _INDICES.fullmatch(row["human_ans_indices"])
    if match is None:
        problem = f"expected human_ans_indices like (3, 14), got {row['human_ans_indices'][:80]!r}"
        raise InputError(problem, path=path, line=number, id=row["q_review_id"])
    # A few answers run on into the word that was cut off.
    start, end = int(match[1]), int(match[2])
    answer = text[start:end]
    if not answer:
        return None
    extra = {key: row[key] for key in _OF_ANSWER if key in row}
    return GoldSpan(answer, start, extra | {"human_ans_spans": row["human_ans_spans"]})


FORMATS = (
    Format(
        "subjqa",
        "SubjQA's CSV of questions on reviews",
        "passages",
        records_of(read_passages),
        questions=True,
    ),
)


def _count(path: PathLike) -> Tables:
    from caveat.benchmarks.shared.passage_task import count_passages

    return count_passages("subjqa", read_passages(path))


SUBJQA = DataSet("subjqa", _count)

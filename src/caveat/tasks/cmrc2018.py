"""CMRC 2018: extractive answers from Chinese Wikipedia paragraphs, in either of its two layouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caveat.checks.finding import Finding
from caveat.formats import cmrc as format
from caveat.formats.files import PathLike
from caveat.formats.predictions import read_answers
from caveat.metrics import cmrc
from caveat.metrics.result import Scored
from caveat.statistics.tables import Tables
from caveat.tasks.first import first_questions
from caveat.tasks.passages import gold_answers, passage_agreement
from caveat.tasks.task import DataFiles, EvaluationOptions, Task

__all__ = ["TASK"]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return cmrc.score(_gold(gold, options), read_answers(pred))


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return cmrc.score_official(_gold(gold, options), read_answers(pred))


def _gold(path: PathLike, options: EvaluationOptions) -> dict[str, list[str]]:
    return first_questions(gold_answers(format.read_passages(path)), options.first)


def _statistics(files: DataFiles) -> Tables:
    from caveat.statistics.extractive import count_passages

    return count_passages("cmrc2018", format.read_passages(files.data))


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.checks.cmrc import check

    return check(files.data)


def _agreement(files: Sequence[PathLike]) -> dict[str, object]:
    return passage_agreement([gold_answers(format.read_passages(path)) for path in files], cmrc.score_answer)


TASK = Task(
    name="cmrc2018",
    summary="CMRC 2018: extractive answers from Wikipedia paragraphs (Chinese)",
    gold="CMRC's JSON, original list or SQuAD layout",
    predictions="JSON object id → text",
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    agreement=_agreement,
)

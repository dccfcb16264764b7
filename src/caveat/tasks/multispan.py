"""MultiSpanQA: questions whose answer is several spans."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.checks.finding import Finding
from caveat.formats import multispan as format
from caveat.formats.files import PathLike
from caveat.metrics import multispan
from caveat.metrics.result import Scored
from caveat.statistics.tables import Tables
from caveat.tasks.first import first_questions
from caveat.tasks.pairwise import pairwise_agreement
from caveat.tasks.task import DataFiles, EvaluationOptions, Task

__all__ = ["TASK"]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return multispan.score(_gold(gold, options), format.read_predictions(pred))


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return multispan.score_official(_gold(gold, options), format.read_predictions(pred))


def _gold(path: PathLike, options: EvaluationOptions) -> dict[str, list[str]]:
    return first_questions(_answers(path), options.first, path)


def _answers(path: PathLike) -> dict[str, list[str]]:
    return {example.id: format.answers(example) for example in format.read(path).examples}


def _statistics(files: DataFiles) -> Tables:
    from caveat.statistics.multispan import count

    return count(files.data)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.checks.multispan import check

    return check(files.data)


TASK = Task(
    name="multispan",
    summary="MultiSpanQA: answers of several spans (English)",
    gold="MultiSpanQA's JSON, tokens with B/I/O labels",
    predictions="JSON object id → list of texts",
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    agreement=pairwise_agreement(_answers, multispan.score),
)

"""MultiSpanQA: questions whose answer is several spans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caveat.benchmarks.multispan import format
from caveat.benchmarks.multispan import metric as multispan
from caveat.benchmarks.shared.agreement import pairwise_agreement
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.shared.scores import Scored, first_questions
from caveat.benchmarks.task import DataFiles, EvaluationOptions, Prediction, Task
from caveat.core.files import PathLike

__all__ = ["TASK"]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return multispan.score(_gold(gold, options), format.read_predictions(pred))


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return multispan.score_official(_gold(gold, options), format.read_predictions(pred))


def _gold(path: PathLike, options: EvaluationOptions) -> dict[str, list[str]]:
    return first_questions(_answers(path), options.first, path)


def _answers(path: PathLike) -> dict[str, list[str]]:
    return {example.id: format.answers(example) for example in format.read(path).examples}


def _prediction() -> Prediction[Any]:
    from caveat.benchmarks.multispan.predict import PREDICTION

    return PREDICTION


def _statistics(files: DataFiles) -> Tables:
    from caveat.benchmarks.multispan.statistics import count

    return count(files.data)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.multispan.checks import check

    return check(files.data)


TASK = Task(
    name="multispan",
    summary="MultiSpanQA: answers of several spans (English)",
    gold="MultiSpanQA's JSON, tokens with B/I/O labels",
    predictions="JSON object id → list of texts",
    read=lambda files: format.read(files.data).examples,
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    predict=_prediction,
    agreement=pairwise_agreement(_answers, multispan.score),
)

"""ConditionalQA: answers with the conditions under which they hold, from government pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from caveat.benchmarks.conditionalqa import format
from caveat.benchmarks.conditionalqa import metric as conditionalqa
from caveat.benchmarks.shared.agreement import pairwise_agreement
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.shared.scores import Scored, first_questions
from caveat.benchmarks.task import Analysis, DataFiles, EvaluationOptions, Prediction, Task
from caveat.core.files import PathLike

__all__ = ["TASK"]

Answers = dict[str, list[tuple[str, tuple[str, ...]]]]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return conditionalqa.score(_gold(gold, options), _predicted(pred))


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return conditionalqa.score_official(_gold(gold, options), _predicted(pred))


def _gold(path: PathLike, options: EvaluationOptions) -> Answers:
    return first_questions(_answers(path), options.first, path)


def _answers(path: PathLike) -> Answers:
    return {question.id: _pairs(question.answers) for question in format.read(path)}


def _predicted(path: PathLike) -> Answers:
    return {prediction.id: _pairs(prediction.answers) for prediction in format.read_predictions(path)}


def _pairs(answers: tuple[format.ConditionalAnswer, ...]) -> list[tuple[str, tuple[str, ...]]]:
    return [(answer.text, answer.conditions) for answer in answers]


def _floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
    return conditionalqa.floors(_gold(gold, options))


def _prediction() -> Prediction[Any]:
    from caveat.benchmarks.conditionalqa.predict import PREDICTION

    return PREDICTION


def _analysis() -> Analysis[Any]:
    from caveat.benchmarks.conditionalqa.analysis import ANALYSIS

    return ANALYSIS


def _untried_rules(files: DataFiles) -> Mapping[str, Sequence[str]]:
    from caveat.benchmarks.conditionalqa.checks import skipped_rules

    return {"documents": skipped_rules(files.documents)}


def _statistics(files: DataFiles) -> Tables:
    from caveat.benchmarks.conditionalqa.statistics import count

    return count(files.data, files.documents)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.conditionalqa.checks import check

    return check(files.data, files.documents)


TASK = Task(
    name="conditionalqa",
    summary="ConditionalQA: answers and the conditions under which they hold (English)",
    gold="ConditionalQA's JSON list of questions",
    predictions='JSON list of {"id", "answers": [[text, [condition, …]], …]}',
    read=lambda files: format.read(files.data),
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    predict=_prediction,
    analyse=_analysis,
    untried_rules=_untried_rules,
    agreement=pairwise_agreement(_answers, conditionalqa.score),
    floors=_floors,
    companions=frozenset({"documents"}),
)

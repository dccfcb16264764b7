"""NLPCC KBQA: answers from a knowledge base of triples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caveat.benchmarks.nlpcc.kbqa import format
from caveat.benchmarks.nlpcc.kbqa import metric as answer_sets
from caveat.benchmarks.shared.agreement import pairwise_agreement
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.shared.scores import Scored, first_questions
from caveat.benchmarks.task import Analysis, DataFiles, DataSet, EvaluationOptions, Prediction, Task
from caveat.core.files import PathLike

__all__ = ["MENTIONS", "TASK", "TRIPLES"]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    golds = _gold(gold)
    predicted = {prediction.id: prediction.answers for prediction in format.read_predictions(pred)}
    return answer_sets.score(first_questions(golds, options.first, gold), predicted)


def _gold(path: PathLike) -> dict[str, tuple[str, ...]]:
    return {question.id: question.answers for question in format.read(path)}


def _prediction() -> Prediction[Any]:
    from caveat.benchmarks.nlpcc.kbqa.predict import PREDICTION

    return PREDICTION


def _analysis() -> Analysis[Any]:
    from caveat.benchmarks.nlpcc.kbqa.analysis import ANALYSIS

    return ANALYSIS


def _statistics(files: DataFiles) -> Tables:
    from caveat.benchmarks.nlpcc.kbqa.statistics import count

    return count(files.data, files.kb, files.mentions)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.nlpcc.kbqa.checks import check

    return check(files.data, files.kb)


TASK = Task(
    name="nlpcc-kbqa",
    summary="NLPCC KBQA: answers from a knowledge base of triples (Chinese)",
    gold="<question id=N>, <triple id=N> and <answer id=N> lines",
    predictions="<question id=N> and <answer id=N> lines, answers tab-separated",
    read=lambda files: format.read(files.data),
    score=_score,
    # The guideline's definitions leave nothing to a program: unanswered questions count 0 in both modes.
    score_official=_score,
    statistics=_statistics,
    check=_check,
    predict=_prediction,
    analyse=_analysis,
    agreement=pairwise_agreement(_gold, answer_sets.score),
    companions=frozenset({"kb", "mentions"}),
)


def _count_kb(path: PathLike) -> Tables:
    from caveat.benchmarks.nlpcc.kbqa.statistics import count_kb

    return count_kb(path)


def _count_mentions(path: PathLike) -> Tables:
    from caveat.benchmarks.nlpcc.kbqa.statistics import count_mentions

    return count_mentions(path)


def _check_kb(path: PathLike) -> Iterator[Finding]:
    from caveat.benchmarks.nlpcc.kbqa.checks import check_kb

    return check_kb(path)


TRIPLES = DataSet("nlpcc-kb", _count_kb, _check_kb)
MENTIONS = DataSet("nlpcc-mentions", _count_mentions)

"""NLPCC DBQA: which sentence of a document answers the question."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.nlpcc import ranking_metric as ranking
from caveat.benchmarks.nlpcc.dbqa import format
from caveat.benchmarks.nlpcc.ranked import score_ranked
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.finding import Finding
from caveat.benchmarks.shared.result import Scored
from caveat.benchmarks.task import DataFiles, EvaluationOptions, Task
from caveat.core.files import PathLike

__all__ = ["TASK"]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return score_ranked(format.read(gold), gold, pred, options.first, ranking.score)


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return score_ranked(format.read(gold), gold, pred, options.first, ranking.score_official)


def _statistics(files: DataFiles) -> Tables:
    from caveat.benchmarks.nlpcc.dbqa.statistics import count

    return count(files.data)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.nlpcc.dbqa.checks import check

    return check(files.data)


TASK = Task(
    name="nlpcc-dbqa",
    summary="NLPCC DBQA: which sentence answers the question (Chinese)",
    gold="question, sentence and 0/1, tab-separated",
    predictions="one score a line, as many lines as the data",
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
)

"""NLPCC TBQA: which table answers the question."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.checks.finding import Finding
from caveat.formats import nlpcc_tbqa as format
from caveat.formats.files import PathLike
from caveat.metrics import ranking
from caveat.metrics.result import Scored
from caveat.statistics.tables import Tables
from caveat.tasks.ranked import score_ranked
from caveat.tasks.task import DataFiles, EvaluationOptions, Task

__all__ = ["TASK"]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return score_ranked(format.read_candidates(gold), gold, pred, options.first, ranking.score)


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return score_ranked(format.read_candidates(gold), gold, pred, options.first, ranking.score_official)


def _statistics(files: DataFiles) -> Tables:
    from caveat.statistics.nlpcc_tbqa import count

    return count(files.data, files.tables)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.checks.nlpcc_tbqa import check

    return check(files.data, files.tables)


TASK = Task(
    name="nlpcc-tbqa",
    summary="NLPCC TBQA: which table answers the question (English)",
    gold="0/1, question, caption, headers and cells (or a table id), tab-separated",
    predictions="one score a line, as many lines as the data",
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    companions=frozenset({"tables"}),
)

"""NLPCC DBQA and TBQA: which sentence, or which table, answers the question."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.nlpcc.ranked import dbqa_format as format
from caveat.benchmarks.nlpcc.ranked import metric as ranking
from caveat.benchmarks.nlpcc.ranked import tbqa_format as format
from caveat.benchmarks.nlpcc.ranked.metric import score_ranked
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import DataFiles, EvaluationOptions, Task
from caveat.core.files import PathLike

__all__ = ["DBQA", "TBQA"]


def _score_dbqa(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return score_ranked(format.read(gold), gold, pred, options.first, ranking.score)


def _score_dbqa_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return score_ranked(format.read(gold), gold, pred, options.first, ranking.score_official)


def _count_dbqa(files: DataFiles) -> Tables:
    from caveat.benchmarks.nlpcc.ranked.statistics import count_dbqa as count

    return count(files.data)


def _check_dbqa(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.nlpcc.ranked.checks import check_dbqa as check

    return check(files.data)


DBQA = Task(
    name="nlpcc-dbqa",
    summary="NLPCC DBQA: which sentence answers the question (Chinese)",
    gold="question, sentence and 0/1, tab-separated",
    predictions="one score a line, as many lines as the data",
    score=_score_dbqa,
    score_official=_score_dbqa_official,
    statistics=_count_dbqa,
    check=_check_dbqa,
)


def _score_tbqa(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return score_ranked(format.read_candidates(gold), gold, pred, options.first, ranking.score)


def _score_tbqa_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return score_ranked(format.read_candidates(gold), gold, pred, options.first, ranking.score_official)


def _count_tbqa(files: DataFiles) -> Tables:
    from caveat.benchmarks.nlpcc.ranked.statistics import count_tbqa as count

    return count(files.data, files.tables)


def _check_tbqa(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.nlpcc.ranked.checks import check_tbqa as check

    return check(files.data, files.tables)


TBQA = Task(
    name="nlpcc-tbqa",
    summary="NLPCC TBQA: which table answers the question (English)",
    gold="0/1, question, caption, headers and cells (or a table id), tab-separated",
    predictions="one score a line, as many lines as the data",
    score=_score_tbqa,
    score_official=_score_tbqa_official,
    statistics=_count_tbqa,
    check=_check_tbqa,
    companions=frozenset({"tables"}),
)

"""NLPCC DBQA and TBQA: which sentence, or which table, answers the question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from caveat.benchmarks.nlpcc.ranked import dbqa_format, metric, tbqa_format
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import DataFiles, EvaluationOptions, Prediction, Scorer, Task
from caveat.core.files import PathLike

__all__ = ["DBQA", "TBQA"]


def _scorer(read: Callable[[PathLike], Iterable[Any]], rank: metric.Ranker) -> Scorer:
    def score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
        return metric.score_ranked(read(gold), gold, pred, options.first, rank)

    return score


def _predictions() -> Mapping[str, Prediction[Any]]:
    from caveat.benchmarks.nlpcc.ranked.predict import PREDICTIONS

    return PREDICTIONS


def _count_dbqa(files: DataFiles) -> Tables:
    from caveat.benchmarks.nlpcc.ranked.statistics import count_dbqa

    return count_dbqa(files.data)


def _count_tbqa(files: DataFiles) -> Tables:
    from caveat.benchmarks.nlpcc.ranked.statistics import count_tbqa

    return count_tbqa(files.data, files.tables)


def _check_dbqa(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.nlpcc.ranked.checks import check_dbqa

    return check_dbqa(files.data)


def _check_tbqa(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.nlpcc.ranked.checks import check_tbqa

    return check_tbqa(files.data, files.tables)


DBQA = Task(
    name="nlpcc-dbqa",
    summary="NLPCC DBQA: which sentence answers the question (Chinese)",
    gold="question, sentence and 0/1, tab-separated",
    predictions="one score a line, as many lines as the data",
    read=lambda files: dbqa_format.groups(dbqa_format.read(files.data)),
    score=_scorer(dbqa_format.read, metric.score),
    score_official=_scorer(dbqa_format.read, metric.score_official),
    statistics=_count_dbqa,
    check=_check_dbqa,
    predict=lambda: _predictions()["nlpcc-dbqa"],
)
TBQA = Task(
    name="nlpcc-tbqa",
    summary="NLPCC TBQA: which table answers the question (English)",
    gold="0/1, question, caption, headers and cells (or a table id), tab-separated",
    predictions="one score a line, as many lines as the data",
    read=lambda files: tbqa_format.groups(tbqa_format.read(files.data, files.tables)),
    score=_scorer(tbqa_format.read_candidates, metric.score),
    score_official=_scorer(tbqa_format.read_candidates, metric.score_official),
    statistics=_count_tbqa,
    check=_check_tbqa,
    predict=lambda: _predictions()["nlpcc-tbqa"],
    companions=frozenset({"tables"}),
)

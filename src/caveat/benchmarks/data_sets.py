"""Data that is no task of its own (knowledge bases, documents, training sets) but can be counted and checked too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding
from caveat.core.files import PathLike

__all__ = ["DATA_SETS", "DataSet"]


@dataclass(frozen=True)
class DataSet:
    """How one kind of file is counted and, where there are rules for it, checked."""

    name: str
    statistics: Callable[[PathLike], Tables]
    check: Callable[[PathLike], Iterator[Finding]] | None = None


def _count_kb(path: PathLike) -> Tables:
    from caveat.benchmarks.nlpcc.kbqa.statistics import count_kb

    return count_kb(path)


def _check_kb(path: PathLike) -> Iterator[Finding]:
    from caveat.benchmarks.nlpcc.kbqa.checks import check_kb as check

    return check(path)


def _count_mentions(path: PathLike) -> Tables:
    from caveat.benchmarks.nlpcc.kbqa.statistics import count_mentions

    return count_mentions(path)


def _count_sharc(path: PathLike) -> Tables:
    from caveat.benchmarks.sharc.statistics import count

    return count(path)


def _count_subjqa(path: PathLike) -> Tables:
    from caveat.benchmarks.shared.passage_statistics import count_passages
    from caveat.benchmarks.subjqa.format import read_passages

    return count_passages("subjqa", read_passages(path))


DATA_SETS = {
    data_set.name: data_set
    for data_set in (
        DataSet("nlpcc-kb", _count_kb, _check_kb),
        DataSet("nlpcc-mentions", _count_mentions),
        DataSet("sharc", _count_sharc),
        DataSet("subjqa", _count_subjqa),
    )
}

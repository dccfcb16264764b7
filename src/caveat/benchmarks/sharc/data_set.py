"""ShARC as data to count, and to compare the questions and judgements of the rules with."""

from __future__ import annotations

from typing import Any

from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.task import Analysis, DataSet
from caveat.core.files import PathLike

__all__ = ["SHARC"]


def _count(path: PathLike) -> Tables:
    from caveat.benchmarks.sharc.statistics import count

    return count(path)


def _analysis() -> Analysis[Any]:
    from caveat.benchmarks.sharc.analysis import ANALYSIS

    return ANALYSIS


SHARC = DataSet("sharc", _count, analyse=_analysis)

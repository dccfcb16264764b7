"""SubjQA as data to count."""

from __future__ import annotations

from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.task import DataSet
from caveat.core.files import PathLike

__all__ = ["SUBJQA"]


def _count(path: PathLike) -> Tables:
    from caveat.benchmarks.shared.passage_statistics import count_passages
    from caveat.benchmarks.subjqa.format import read_passages

    return count_passages("subjqa", read_passages(path))


SUBJQA = DataSet("subjqa", _count)

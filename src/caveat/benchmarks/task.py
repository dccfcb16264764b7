"""A task: one benchmark, how its files are read, scored, counted and checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from caveat.benchmarks.cmqa.analysis import Analysis
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.shared.scores import Scored
from caveat.core.errors import UsageError
from caveat.core.files import PathLike

__all__ = ["DataFiles", "EvaluationOptions", "Task", "refuse_foreign"]


class EvaluationOptions(msgspec.Struct, frozen=True):
    """What some benchmarks' scorers can be told; each has its published default."""

    first: int | None = None
    na_prob: PathLike | None = None
    na_threshold: float = 1.0
    skip_no_answer: bool = False

    def __post_init__(self) -> None:
        if math.isnan(self.na_threshold):
            raise UsageError("The threshold for “no answer” must be a number.")


class DataFiles(msgspec.Struct, frozen=True):
    """A data file and the companions some formats need."""

    data: PathLike
    documents: PathLike | None = None
    tables: PathLike | None = None
    kb: PathLike | None = None
    mentions: PathLike | None = None


Scorer = Callable[[PathLike, PathLike, EvaluationOptions], Scored]
Counter = Callable[[DataFiles], Tables]
Checker = Callable[[DataFiles], Iterator[Finding]]
# Scores of agreement from several annotators' files, or from one file that holds several annotations.
Agreement = Callable[[Sequence[PathLike]], dict[str, object]]
# Trivial systems whose scores say what a score is worth, by name.
Floors = Callable[[PathLike, EvaluationOptions], dict[str, Scored]]

# Errors by kind, from gold and predictions, with so many of the worst samples.
Analyser = Callable[[PathLike, PathLike, int], Analysis]


@dataclass(frozen=True)
class Task:
    """One benchmark; `score` is sound, `score_official` is the published scorer, quirks included."""

    name: str
    summary: str
    gold: str
    predictions: str
    score: Scorer
    score_official: Scorer
    statistics: Counter
    check: Checker
    agreement: Agreement | None = None
    floors: Floors | None = None
    analyse: Analyser | None = None
    options: frozenset[str] = frozenset({"first"})
    # Which of the files beside the data it can use.
    companions: frozenset[str] = frozenset()


Given = TypeVar("Given", bound=msgspec.Struct)


def refuse_foreign(task: str, given: Given, default: Given, allowed: Collection[str]) -> None:
    """Raise for what was given though the task has no use for it: the user expects something of it."""
    for field in msgspec.structs.fields(given):
        name = field.name
        if name not in allowed and getattr(given, name) != getattr(default, name):
            raise UsageError(f"The task {task} does not take --{name.replace('_', '-')}.")

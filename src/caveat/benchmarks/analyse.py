"""What is wrong with a prediction file, beyond its scores."""

from __future__ import annotations

from caveat.benchmarks.cmqa.analysis import Analysis
from caveat.benchmarks.registry import task as find_task
from caveat.core.errors import CaveatError, UsageError
from caveat.core.files import PathLike

__all__ = ["analyse"]


def analyse(task: str, gold: PathLike, pred: PathLike, *, worst: int = 5) -> Analysis:
    """The errors by kind, and the `worst` samples."""
    found = find_task(task)
    if found.analyse is None:
        raise CaveatError(f"The task {task} has no analysis of errors; cmqa has.")
    if str(gold) == str(pred) == "-":
        raise UsageError("Only one of the gold and the prediction file can be standard input.")
    return found.analyse(gold, pred, worst)

"""Score a prediction file against a gold file with a task's metrics."""

from __future__ import annotations

from caveat.benchmarks.registry import task as find_task
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import EvaluationOptions, Scorer, Task, refuse_foreign
from caveat.core.errors import CaveatError, UsageError
from caveat.core.files import PathLike

__all__ = ["evaluate", "evaluate_official", "floors"]


def evaluate(
    task: str, gold: PathLike, pred: PathLike, options: EvaluationOptions = EvaluationOptions()
) -> Scored:
    """Soundly: a missing prediction is wrong, and what is missing or unknown is listed."""
    found = find_task(task)
    return _evaluate(found, found.score, gold, pred, options)


def evaluate_official(
    task: str, gold: PathLike, pred: PathLike, options: EvaluationOptions = EvaluationOptions()
) -> Scored:
    """As the benchmark's published scorer does, quirks included."""
    found = find_task(task)
    return _evaluate(found, found.score_official, gold, pred, options)


def floors(task: str, gold: PathLike, options: EvaluationOptions = EvaluationOptions()) -> dict[str, Scored]:
    """What trivial systems score on a gold file, so that a score can be read."""
    found = find_task(task)
    if found.floors is None:
        raise CaveatError(f"The task {task} has no trivial floors defined; conditionalqa has.")
    return found.floors(gold, options)


def _evaluate(
    task: Task, scorer: Scorer, gold: PathLike, pred: PathLike, options: EvaluationOptions
) -> Scored:
    if str(gold) == str(pred) == "-":
        raise UsageError("Only one of the gold and the prediction file can be standard input.")
    refuse_foreign(task.name, options, EvaluationOptions(), task.options)
    return scorer(gold, pred, options)

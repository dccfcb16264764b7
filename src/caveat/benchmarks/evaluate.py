"""Score a prediction file against a gold file with a task's metrics, and say what is wrong beyond the scores."""

from __future__ import annotations

from typing import Any

from caveat.benchmarks.registry import DATA_SETS, TASKS, tasks_with
from caveat.benchmarks.registry import task as find_task
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import (
    Analysed,
    Analysis,
    EvaluationOptions,
    Scorer,
    Task,
    Through,
    options_for,
    refuse_foreign,
)
from caveat.core.errors import CaveatError, UnknownNameError, UsageError
from caveat.core.files import PathLike


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
        raise CaveatError(
            f"The task {task} has no trivial floors; these have: {', '.join(tasks_with('floors'))}."
        )
    return found.floors(gold, options)


def analyse(
    task: str,
    gold: PathLike,
    pred: PathLike | None = None,
    *,
    model: PathLike | None = None,
    through: Through = iter,
    **options: Any,
) -> Analysed:
    """What a system gets right and wrong, by kind: that of a prediction file, or the one that the task analyses.

    The options are those of the task's analysis; `task` may also name a data set. `through` is handed what is worked
    through, for a progress bar.
    """
    among = (TASKS, DATA_SETS)
    found: Any = next((names[task] for names in among if task in names), None)
    if found is None:
        raise UnknownNameError("task or data set", task, [name for names in among for name in names])
    if found.analyse is None:
        able = ", ".join(tasks_with("analyse", among))
        raise CaveatError(f"The task {task} has no analysis; these have: {able}.")
    if pred is not None:
        _one_standard_input(gold, pred)
    analysis: Analysis[Any] = found.analyse()
    chosen = options_for(task, analysis.options, {"pred": pred, **options}, model)
    return analysis.run(gold, chosen, through)


def _evaluate(
    task: Task, scorer: Scorer, gold: PathLike, pred: PathLike, options: EvaluationOptions
) -> Scored:
    _one_standard_input(gold, pred)
    refuse_foreign(task.name, options, EvaluationOptions(), task.options)
    return scorer(gold, pred, options)


def _one_standard_input(gold: PathLike, pred: PathLike) -> None:
    if str(gold) == str(pred) == "-":
        raise UsageError("Only one of the gold and the prediction file can be standard input.")

"""What a tagger is measured on: a file of its own, or the fold of the data that it is not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from caveat.benchmarks.registry import SPAN_TASKS
from caveat.training.kinds.reader.span_data import fold_of
from caveat.training.kinds.tagger.recipe import TaggerRecipe

__all__ = ["held_out", "spread"]

Item = TypeVar("Item")


def held_out(recipe: TaggerRecipe, data_root: Path) -> list[Any]:
    """The records of the tuning metric's format that the recipe keeps out of training; none without a fold."""
    tuning = recipe.tuning
    if tuning is None:
        return []
    task = SPAN_TASKS[tuning.metric]
    if tuning.path:
        return list(task.read(data_root / tuning.path))
    return [
        record
        for data in recipe.data
        if data.held_out
        for record in task.read(data_root / data.path)
        if fold_of(task.asked(record).text, recipe.folds) == recipe.fold
    ]


def spread(items: Sequence[Item], count: int) -> list[Item]:
    """About `count` of the items, spread evenly over all of them; 0 means all."""
    if not count or count >= len(items):
        return list(items)
    return [items[number * len(items) // count] for number in range(count)]

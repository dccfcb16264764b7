"""Recipes that train a judge, and that fit the weights of yes and no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.training.kinds.judge.data import JudgeDataSet, StatementFormat
from caveat.training.recipe import Phase, Settings


class JudgeTuning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the run is measured on, on the way and at its end; never trained on."""

    # A file of its own, beside the fold that is held out of the data.
    path: str = ""
    format: StatementFormat = "conditionalqa"
    # Further files in the same format.
    also: tuple[str, ...] = ()
    # Steps between measurements, on this many statements spread over the data; 0: only at the end.
    every: int = 400
    questions: int = 600
    # At the end; 0 means all.
    final_questions: int = 0
    window: int = 192
    stride: int = 96
    # For the model's card, as with training data.
    name: str = ""
    licence: str = "unstated"


class JudgeRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a judge."""

    kind: Literal["judge"] = "judge"
    data: tuple[JudgeDataSet, ...]
    phases: tuple[Phase, ...]
    tuning: JudgeTuning | None = None
    # Rule texts and pages fall into this many folds by a hash of their characters or address. `fold` is the one that is
    # held out, counted from 0; -1 holds nothing out.
    folds: int = 5
    fold: int = -1
    # The share of a label's weight that all labels get: some of the labels are wrong.
    smoothing: float = 0.0
    # Rare labels weigh more: by their share to the power of minus this; 0 leaves all alike, 1 makes them even.
    balance: float = 0.0


def problems_of(recipe: JudgeRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not (recipe.folds >= 2 and -1 <= recipe.fold < recipe.folds):
        yield f"fold must be from 0 to below folds ({recipe.folds}), or -1 for none, got {recipe.fold}"
    if not 0 <= recipe.smoothing < 1:
        yield f"smoothing is a share, from 0 to below 1, got {recipe.smoothing}"
    if not 0 <= recipe.balance <= 1:
        yield f"balance must be from 0 to 1, got {recipe.balance}"
    for data in recipe.data:
        if data.weight <= 0:
            yield f"{data.path} needs a weight above 0"
    tuning = recipe.tuning
    if tuning and not tuning.path and (recipe.fold < 0 or not any(data.held_out for data in recipe.data)):
        yield "tuning needs a path, or a fold that is held out of a data set"

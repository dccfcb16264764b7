"""The recipe of a relation model: which samples, and how strongly its weights are held back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

__all__ = ["RelationData", "RelationRecipe", "problems_of"]


class RelationData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of CMQA's samples, and what the model's file says of it."""

    path: str
    name: str = ""
    licence: str = "unstated"


class RelationRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit."""

    kind: Literal["relations"]
    data: tuple[RelationData, ...]
    # Measured by a model of `data` alone; the model that is kept is fitted to both.
    held_out: RelationData | None = None
    # Half of this times the sum of the squared weights is added to the loss, which sums over the answers.
    l2: float = 6.0
    # Words that stand in their place fewer times are not learned.
    least: int = 8
    # Contexts fall into so many folds by a hash of their characters, as for a tagger; 0: no cross-validation.
    folds: int = 5
    # The fold that the model which is kept has not seen, counted from 0; -1: it has seen all.
    fold: int = -1


def problems_of(recipe: RelationRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if recipe.folds < 0 or recipe.folds == 1:
        yield f"folds must be 0 or at least 2, got {recipe.folds}"
    if not -1 <= recipe.fold < recipe.folds:
        yield f"fold must be from 0 to below folds ({recipe.folds}), or -1 for none, got {recipe.fold}"

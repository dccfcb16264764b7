"""The recipe of a fit of lexical evidence: which lists, and how strongly the weights are held back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.training.kinds.ranker.data import RankDataSet

__all__ = ["LexicalRecipe", "problems_of"]


class LexicalRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit; sentences and tables get weights each of their own."""

    kind: Literal["lexical"]
    data: tuple[RankDataSet, ...]
    # Never fitted to: measured by the weights of `data`.
    measured: tuple[RankDataSet, ...] = ()
    # Half of this times the sum of the squared weights is added to the loss, which sums over the questions.
    l2: float = 30.0
    # Documents fall into so many folds by a hash, and each is measured by weights of the others; 0: not measured.
    folds: int = 5
    seed: int = 1


def problems_of(recipe: LexicalRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if recipe.folds < 0 or recipe.folds == 1:
        yield f"folds must be 0 or at least 2, got {recipe.folds}"
    kinds = {data.kind for data in recipe.data}
    for data in recipe.measured:
        if data.kind not in kinds:
            yield f"{data.path} has {data.kind}, which nothing is fitted to"
    for data in (*recipe.data, *recipe.measured):
        if data.cap < 1 or data.weight <= 0:
            yield f"{data.path} needs a cap and a weight above 0"

"""The recipe of a fit of what speaks for yes, for no, and for "it depends"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

__all__ = ["YesNoData", "YesNoRecipe", "problems_of"]


class YesNoData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of ConditionalQA's questions; without its pages the evidences of all questions on a page stand for it."""

    path: str
    documents: str = ""
    name: str = ""
    licence: str = "unstated"


class YesNoRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit."""

    kind: Literal["yes-no"]
    data: tuple[YesNoData, ...]
    # Never fitted to: measured by the weights of `data`.
    measured: tuple[YesNoData, ...] = ()
    # Half of this times the sum of the squared weights is added to the loss, which sums over the questions.
    l2: float = 2.0
    # What a question counts whose answer depends on something: its yes is one that needs more than a yes.
    conditional: float = 0.5
    # Pages fall into so many folds by a hash, and each is measured by weights of the others; 0: not measured.
    folds: int = 5


def problems_of(recipe: YesNoRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.l2 <= 0 or recipe.conditional <= 0:
        yield "l2 and conditional must be above 0"
    if recipe.folds < 0 or recipe.folds == 1:
        yield f"folds must be 0 or at least 2, got {recipe.folds}"

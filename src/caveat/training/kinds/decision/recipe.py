"""Recipes that fit the decision among candidate answers from documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.core.languages import Language


class DecisionData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of labelled questions on pages, one JSON a line; the pages are in files/ beside it."""

    path: str
    # Repositories fall into this many folds by a hash; those of `fold` alone are used, which the reader did not learn
    # from. 0 uses all.
    folds: int = 0
    fold: int = 0
    # So many questions, spread over the file; 0 means all.
    most: int = 0
    # How many questions are put to the page of another repository as well, beside each one: nothing answers them there.
    foreign: float = 0.0
    name: str = ""
    licence: str = "unstated"


class DecisionRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit."""

    kind: Literal["decision"]
    language: Language
    # The joint reader that the decision is for, by name or folder.
    reader: str
    data: tuple[DecisionData, ...]
    # Which questions are put to which other pages.
    seed: int = 1
    # Half of this times the sum of the squared weights is added to the loss, which sums over the questions.
    l2: float = 1.0
    # Repositories fall into this many groups, each of which is measured by weights of the others. The hash is that of
    # `folds`: with a divisor in common the repositories of one fold would fall into few groups.
    groups: int = 7
    # Whether the weights of conditions are kept. They are measured in any case; without them what rules say is stated,
    # which is better until the weights state most of what is needed.
    conditions: bool = False


def problems_of(recipe: DecisionRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if recipe.groups < 2:
        yield f"groups must be at least 2, got {recipe.groups}"
    for data in recipe.data:
        if data.folds and not 0 <= data.fold < data.folds:
            yield f"fold of {data.path} must be from 0 to below folds ({data.folds}), got {data.fold}"
        if data.foreign < 0:
            yield f"foreign of {data.path} must not be below 0, got {data.foreign}"

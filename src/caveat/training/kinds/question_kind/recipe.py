"""Recipes that fit what tells the kind of answer that a question wants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.core.script import Language

__all__ = ["QuestionKindData", "QuestionKindRecipe", "problems_of"]


class QuestionKindData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions: on pages, whose kinds are marked; or of spans, or of yes or no, all of one kind."""

    path: str
    format: Literal["pages", "squad", "yes-no", "conditionalqa"]
    # So many questions, spread over the file; 0 means all.
    most: int = 0
    # What each question weighs in the fit.
    weight: float = 1.0
    name: str = ""
    licence: str = "unstated"


class QuestionKindRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit."""

    kind: Literal["question-kind"]
    language: Language
    data: tuple[QuestionKindData, ...]
    # Half of this times the sum of the squared weights is added to the loss, which sums over the questions.
    l2: float = 1.0
    # Cues that fewer questions have are left out, and so are weights below the least.
    fewest: int = 4
    least: float = 0.03
    # Sources fall into this many folds by a hash, and each is measured by the weights of the others.
    folds: int = 5


def problems_of(recipe: QuestionKindRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if recipe.folds < 2:
        yield f"folds must be at least 2, got {recipe.folds}"
    for data in recipe.data:
        if data.weight <= 0:
            yield f"{data.path} needs a weight above 0"

"""The recipe of a fit that understands questions on triples: which questions, which base, what is kept from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.training.kinds.matching.matcher import MatcherSettings

__all__ = ["MatchingData", "MatchingRecipe", "problems_of"]


class MatchingData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions in NLPCC's format; in the order of a hash of their text they go to three uses."""

    path: str
    # First those that are only measured, then those that the weights of all evidence are fitted to.
    # The matcher learns from the rest.
    held_out: int = 0
    weighed: int = 0
    name: str = ""
    licence: str = "unstated"


class MatchingRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit."""

    kind: Literal["matching"]
    data: tuple[MatchingData, ...]
    # Triples, or an index of them.
    base: str
    matcher: MatcherSettings = MatcherSettings()
    # Half of this times the sum of the squared weights is added to the loss, which sums over the questions.
    l2: float = 5.0
    # Predicates of similar entities that are mixed with those of the right one, in one of two lists a question.
    distractors: int = 20
    # The share of the questions to weigh that is asked once more without what answers it.
    unanswerable: float = 0.25
    # The share of the questions to weigh that only tunes the threshold.
    tuned: float = 0.25
    # A ranker's folder, whose scores are weighed too; "" for none.
    ranker: str = ""
    seed: int = 1


def problems_of(recipe: MatchingRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if not 0 < recipe.tuned < 1 or not 0 <= recipe.unanswerable <= 1:
        yield "tuned and unanswerable are shares, tuned above 0 and below 1"
    if not any(data.weighed for data in recipe.data):
        yield "no data set has questions to weigh the evidence with (weighed)"
    if recipe.distractors < 0:
        yield f"distractors must not be below 0, got {recipe.distractors}"
    if recipe.matcher.epochs < 1 or recipe.matcher.dimensions < 1 or recipe.matcher.batch < 1:
        yield "epochs, dimensions and batch of the matcher must be at least 1"

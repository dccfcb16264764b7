"""Recipes that train a ranker, and that fit the weights of lexical evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.answerers.ranking.combination import Kind
from caveat.training.kinds.ranker.data import RankDataSet
from caveat.training.recipe import Phase, Settings

__all__ = ["LexicalRecipe", "RankTuning", "RankerRecipe", "lexical_problems", "problems_of"]


class RankTuning(RankDataSet, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Complete lists that the run is measured on, on the way and at its end, and the combination is fitted to."""

    # Steps between measurements, on this many questions spread over the file; 0: only at the end.
    every: int = 500
    questions: int = 200
    # At the end; 0 means all.
    final_questions: int = 0
    window: int = 192
    stride: int = 128
    # The combination with lexical evidence: how strongly its weights are held back, and in how many folds it is
    # measured, each by weights of the others.
    l2: float = 30.0
    folds: int = 5


class RankerRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a ranker."""

    kind: Literal["ranker"] = "ranker"
    data: tuple[RankDataSet, ...]
    phases: tuple[Phase, ...]
    tuning: RankTuning | None = None
    # "pointwise": each pair by itself is right or wrong. "listwise": the right one of a question against its wrong
    # ones, by their softmax.
    loss: Literal["pointwise", "listwise"] = "listwise"
    # Wrong candidates that an epoch takes of a question's own list, and of the lists of other questions.
    wrong: int = 4
    foreign: int = 1
    # The share of the own ones that are taken because they share most with the question; the others are drawn.
    hard: float = 0.5
    # Sentences on each side that are read with each sentence.
    neighbours: int = 0

    @property
    def candidates(self) -> Kind:
        """What it ranks."""
        return self.tuning.kind if self.tuning else self.data[0].kind


def problems_of(recipe: RankerRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if recipe.wrong < 0 or recipe.foreign < 0 or recipe.wrong + recipe.foreign < 1:
        yield "wrong and foreign must not be below 0, and one of them must be above"
    if not 0 <= recipe.hard <= 1:
        yield f"hard is a share, from 0 to 1, got {recipe.hard}"
    if recipe.neighbours < 0:
        yield f"neighbours must not be below 0, got {recipe.neighbours}"
    for data in recipe.data:
        if data.cap < 1 or data.weight <= 0:
            yield f"{data.path} needs a cap and a weight above 0"
    tuning = recipe.tuning
    if tuning and (tuning.folds < 2 or tuning.l2 <= 0):
        yield "tuning needs at least 2 folds and an l2 above 0"


class LexicalRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit; sentences and tables get weights each of their own."""

    kind: Literal["lexical"]
    data: tuple[RankDataSet, ...]
    # Never fitted to: measured by the weights of `data`.
    measured: tuple[RankDataSet, ...] = ()
    # Half of this times the sum of the squared weights is added to the loss, which sums over the questions.
    l2: float = 30.0
    # Documents fall into this many folds by a hash, and each is measured by weights of the others; 0: not measured.
    folds: int = 5
    seed: int = 1


def lexical_problems(recipe: LexicalRecipe) -> Iterator[str]:
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

"""The recipes of relation models: one that is fitted, and a network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.training.kinds.tagger.data import SpanTuning
from caveat.training.recipe import Phase, Settings

__all__ = [
    "Mode",
    "RelationData",
    "RelationNetworkRecipe",
    "RelationRecipe",
    "Representation",
    "network_problems",
    "problems_of",
]

Mode = Literal["normal", "span-assist"]
Representation = Literal["start", "start-end", "pooled"]


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
    # Contexts fall into this many folds by a hash of their characters, as for a tagger; 0: no cross-validation.
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


class RelationNetworkRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a relation network."""

    kind: Literal["relation-network"] = "relation-network"
    # "span-assist" puts a marker before and behind every span, one for each kind; they are learnt, also where the
    # encoder's own embeddings are frozen.
    mode: Mode = "normal"
    # What stands for a span: the state of its first token or, where there are markers, of the one before it; that and
    # its last; both and the mean of all.
    representation: Representation = "start"
    # Whether the network is told kinds, order and distance of the two spans, what stands between them, and whether
    # they stand in one sentence.
    features: bool = False
    # Whether the encoder stays as `start` left it: with a tagger's run there, both share one, and only what decides on
    # pairs is trained.
    freeze_encoder: bool = False
    # How many times as much as another a pair weighs that belongs together: their ratio in the data to this power.
    balance: float = 0.5
    data: tuple[RelationData, ...]
    phases: tuple[Phase, ...]
    tuning: SpanTuning | None = None
    # Contexts fall into this many folds by a hash of their characters, as for a tagger and for the fitted model. `fold`
    # is the one that is held out of all data, counted from 0; -1 holds nothing out.
    folds: int = 5
    fold: int = -1


def network_problems(recipe: RelationNetworkRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not 0 <= recipe.balance <= 1:
        yield f"balance must be from 0 to 1, got {recipe.balance}"
    if not (recipe.folds >= 2 and -1 <= recipe.fold < recipe.folds):
        yield f"fold must be from 0 to below folds ({recipe.folds}), or -1 for none, got {recipe.fold}"
    if recipe.freeze_encoder and not recipe.start:
        yield "freeze_encoder needs `start`, a run whose encoder is to be shared"
    if recipe.tuning and recipe.tuning.metric != "cmqa":
        yield f"relations are measured by the metric 'cmqa', got {recipe.tuning.metric!r}"

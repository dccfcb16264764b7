"""The recipe of a relation network: how spans are shown to it, what it decides from, what is held out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from caveat.training.kinds.relations.recipe import RelationData
from caveat.training.kinds.tagger.recipe import SpanTuning
from caveat.training.settings import Phase, Settings

__all__ = ["Mode", "RelationNetworkRecipe", "Representation", "problems_of"]

Mode = Literal["normal", "span-assist"]
Representation = Literal["start", "start-end", "pooled"]


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
    # A pair that belongs together weighs as much as so many that do not: their ratio in the data to this power.
    balance: float = 0.5
    data: tuple[RelationData, ...]
    phases: tuple[Phase, ...]
    tuning: SpanTuning | None = None
    # Contexts fall into so many folds by a hash of their characters, as for a tagger and for the fitted model. `fold`
    # is the one that is held out of all data, counted from 0; -1 holds nothing out.
    folds: int = 5
    fold: int = -1


def problems_of(recipe: RelationNetworkRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not 0 <= recipe.balance <= 1:
        yield f"balance must be from 0 to 1, got {recipe.balance}"
    if not (recipe.folds >= 2 and -1 <= recipe.fold < recipe.folds):
        yield f"fold must be from 0 to below folds ({recipe.folds}), or -1 for none, got {recipe.fold}"
    if recipe.freeze_encoder and not recipe.start:
        yield "freeze_encoder needs `start`, a run whose encoder is to be shared"
    if recipe.tuning and recipe.tuning.metric != "cmqa":
        yield f"relations are measured by the metric 'cmqa', got {recipe.tuning.metric!r}"

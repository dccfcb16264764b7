"""Which spans of a text belong together: fitted to what is seen of them, or learnt by a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from caveat.core.loading import deferred
from caveat.training.kinds import Kind
from caveat.training.kinds.relations.recipe import (
    RelationNetworkRecipe,
    RelationRecipe,
    network_problems,
    problems_of,
)

if TYPE_CHECKING:
    from caveat.models.card import Card
    from caveat.training.export import ExportSettings

__all__ = ["FITTED", "NETWORK"]


def _not_exported(
    recipe: RelationNetworkRecipe, run: Path, out: Path, settings: ExportSettings
) -> dict[str, Card]:
    settings.note(f"{run}: a relation network is not exported, it decides in torch")
    return {}


FITTED = Kind(
    name="relations",
    recipe=RelationRecipe,
    problems=problems_of,
    fit=deferred("caveat.training.kinds.relations.fit:fit_relations"),
    needs=("scipy",),
)
NETWORK = Kind(
    name="relation-network",
    recipe=RelationNetworkRecipe,
    problems=network_problems,
    method=deferred("caveat.training.kinds.relations.method:Relating"),
    export=_not_exported,
)

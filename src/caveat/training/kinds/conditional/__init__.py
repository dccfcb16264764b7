"""Training the published families of conditional answers: pipeline, hops, fusion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from caveat.core.loading import load
from caveat.training.kinds import Kind, Method, Note
from caveat.training.kinds.conditional.data import ConditionalRecipe, problems_of

if TYPE_CHECKING:
    from caveat.models.card import Card
    from caveat.training.export import ExportSettings

__all__ = ["KIND"]

_METHODS = {
    "pipeline": "caveat.training.kinds.conditional.pipeline_method:Pipelining",
    "hops": "caveat.training.kinds.conditional.hops_method:Hopping",
    "fusion": "caveat.training.kinds.conditional.fusion:Fusing",
}


def _method(recipe: ConditionalRecipe, data_root: Path, note: Note) -> Method:
    method: Method = load(_METHODS[recipe.family])(recipe, data_root, note)
    return method


def _not_exported(
    recipe: ConditionalRecipe, run: Path, out: Path, settings: ExportSettings
) -> dict[str, Card]:
    settings.note(f"{run}: a model of conditional answers is not exported, it predicts in torch")
    return {}


KIND = Kind(
    name="conditionalqa", recipe=ConditionalRecipe, problems=problems_of, method=_method, export=_not_exported
)

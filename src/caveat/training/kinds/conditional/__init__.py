"""Training the published families of conditional answers: pipeline, hops, fusion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from caveat.training.kinds import Kind, Method, Note
from caveat.training.kinds.conditional.recipe import ConditionalRecipe, problems_of

if TYPE_CHECKING:
    from caveat.models.card import Card
    from caveat.training.export import ExportSettings

__all__ = ["KIND"]


def _method(recipe: ConditionalRecipe, data_root: Path, note: Note) -> Method:
    if recipe.family == "pipeline":
        from caveat.training.kinds.conditional.pipeline_method import Pipelining

        return Pipelining(recipe, data_root, note)
    if recipe.family == "hops":
        from caveat.training.kinds.conditional.hops_method import Hopping

        return Hopping(recipe, data_root, note)
    from caveat.training.kinds.conditional.fusion import Fusing

    return Fusing(recipe, data_root, note)


def _not_exported(
    recipe: ConditionalRecipe, run: Path, out: Path, settings: ExportSettings
) -> dict[str, Card]:
    settings.note(f"{run}: a model of conditional answers is not exported, it predicts in torch")
    return {}


KIND = Kind(
    name="conditionalqa", recipe=ConditionalRecipe, problems=problems_of, method=_method, export=_not_exported
)

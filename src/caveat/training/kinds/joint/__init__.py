"""Training one model for spans, verdicts and evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from caveat.training.kinds import Kind, Method, Note
from caveat.training.kinds.joint.recipe import JointRecipe, problems_of

if TYPE_CHECKING:
    from caveat.models.card import Card
    from caveat.training.export import ExportSettings

__all__ = ["KIND"]


def _method(recipe: JointRecipe, data_root: Path, note: Note) -> Method:
    from caveat.training.kinds.joint.method import JointReading

    return JointReading(recipe, data_root, note)


def _export(recipe: JointRecipe, run: Path, out: Path, settings: ExportSettings) -> dict[str, Card]:
    from caveat.training.kinds.joint.export import export_joint

    return export_joint(recipe, run, out, settings)


KIND = Kind(name="joint", recipe=JointRecipe, problems=problems_of, method=_method, export=_export)

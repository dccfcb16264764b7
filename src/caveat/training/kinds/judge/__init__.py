"""Training judges of statements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from caveat.training.kinds import Kind, Method, Note
from caveat.training.kinds.judge.recipe import JudgeRecipe, problems_of

if TYPE_CHECKING:
    from caveat.models.card import Card
    from caveat.training.export import ExportSettings

__all__ = ["KIND"]


def _method(recipe: JudgeRecipe, data_root: Path, note: Note) -> Method:
    from caveat.training.kinds.judge.method import Judging

    return Judging(recipe, data_root, note)


def _export(recipe: JudgeRecipe, run: Path, out: Path, settings: ExportSettings) -> dict[str, Card]:
    from caveat.training.kinds.judge.export import export_judge

    return export_judge(recipe, run, out, settings)


KIND = Kind(name="judge", recipe=JudgeRecipe, problems=problems_of, method=_method, export=_export)

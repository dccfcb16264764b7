"""Training judges of statements, and fitting the weights of yes and no."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from caveat.training.kinds import Kind, Method, Note, Tables
from caveat.training.kinds.judge.recipe import JudgeRecipe, YesNoRecipe, problems_of, yes_no_problems

if TYPE_CHECKING:
    from caveat.models.card import Card
    from caveat.training.export import ExportSettings

__all__ = ["KIND", "YES_NO"]


def _method(recipe: JudgeRecipe, data_root: Path, note: Note) -> Method:
    from caveat.training.kinds.judge.method import Judging

    return Judging(recipe, data_root, note)


def _export(recipe: JudgeRecipe, run: Path, out: Path, settings: ExportSettings) -> dict[str, Card]:
    from caveat.training.kinds.judge.export import export_judge

    return export_judge(recipe, run, out, settings)


def _fit(recipe: YesNoRecipe, out: Path, *, data_root: Path, note: Note) -> Tables:
    from caveat.training.kinds.judge.yes_no import fit_yes_no

    return fit_yes_no(recipe, out, data_root=data_root, note=note)


KIND = Kind(name="judge", recipe=JudgeRecipe, problems=problems_of, method=_method, export=_export)
YES_NO = Kind(name="yes-no", recipe=YesNoRecipe, problems=yes_no_problems, fit=_fit, needs=("scipy",))

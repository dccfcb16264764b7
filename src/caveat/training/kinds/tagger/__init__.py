"""Training taggers: all the spans of a text, by kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from caveat.training.kinds import Kind, Method, Note
from caveat.training.kinds.tagger.recipe import TaggerRecipe, problems_of

if TYPE_CHECKING:
    from caveat.models.card import Card
    from caveat.training.export import ExportSettings

__all__ = ["KIND"]


def _method(recipe: TaggerRecipe, data_root: Path, note: Note) -> Method:
    from caveat.training.kinds.tagger.method import Labelling

    return Labelling(recipe, data_root, note)


def _export(recipe: TaggerRecipe, run: Path, out: Path, settings: ExportSettings) -> dict[str, Card]:
    from caveat.training.kinds.tagger.export import export_tagger

    return export_tagger(recipe, run, out, settings)


KIND = Kind(name="tagger", recipe=TaggerRecipe, problems=problems_of, method=_method, export=_export)

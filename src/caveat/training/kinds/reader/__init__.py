"""Training readers: spans of a text that answer a question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from caveat.training.kinds import Kind, Method, Note, Tables
from caveat.training.kinds.reader.recipe import (
    InoculationRecipe,
    ReaderRecipe,
    inoculation_problems,
    problems_of,
)

if TYPE_CHECKING:
    from caveat.models.card import Card
    from caveat.training.export import ExportSettings

__all__ = ["INOCULATION", "KIND"]


def _method(recipe: ReaderRecipe, data_root: Path, note: Note) -> Method:
    from caveat.training.kinds.reader.method import Extractive

    return Extractive(recipe, data_root, note)


def _export(recipe: ReaderRecipe, run: Path, out: Path, settings: ExportSettings) -> dict[str, Card]:
    from caveat.training.kinds.reader.export import export_reader

    return export_reader(recipe, run, out, settings)


def _inoculate(recipe: InoculationRecipe, out: Path, *, data_root: Path, note: Note) -> Tables:
    from caveat.training.kinds.reader.inoculation import inoculate

    return inoculate(recipe, out, data_root=data_root, note=note)


KIND = Kind(
    name="reader",
    recipe=ReaderRecipe,
    problems=problems_of,
    method=_method,
    export=_export,
    calibrates_on_files=True,
)
INOCULATION = Kind(
    name="inoculation", recipe=InoculationRecipe, problems=inoculation_problems, fit=_inoculate
)

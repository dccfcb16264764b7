"""Training readers: spans of a text that answer a question."""

from __future__ import annotations

from caveat.core.loading import deferred
from caveat.training.kinds import Kind
from caveat.training.kinds.reader.recipe import (
    InoculationRecipe,
    ReaderRecipe,
    inoculation_problems,
    problems_of,
)

__all__ = ["INOCULATION", "KIND"]


KIND = Kind(
    name="reader",
    recipe=ReaderRecipe,
    problems=problems_of,
    method=deferred("caveat.training.kinds.reader.method:Extractive"),
    export=deferred("caveat.training.kinds.reader.export:export_reader"),
    calibrates_on_files=True,
)
INOCULATION = Kind(
    name="inoculation",
    recipe=InoculationRecipe,
    problems=inoculation_problems,
    fit=deferred("caveat.training.kinds.reader.inoculation:inoculate"),
)

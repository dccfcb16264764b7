"""Training rankers of sentences and tables, and fitting the weights of lexical evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from caveat.training.kinds import Kind, Method, Note, Tables
from caveat.training.kinds.ranker.recipe import LexicalRecipe, RankerRecipe, lexical_problems, problems_of

if TYPE_CHECKING:
    from caveat.models.card import Card
    from caveat.training.export import ExportSettings

__all__ = ["KIND", "LEXICAL"]


def _method(recipe: RankerRecipe, data_root: Path, note: Note) -> Method:
    from caveat.training.kinds.ranker.method import Ranking

    return Ranking(recipe, data_root, note)


def _export(recipe: RankerRecipe, run: Path, out: Path, settings: ExportSettings) -> dict[str, Card]:
    from caveat.training.kinds.ranker.export import export_ranker

    return export_ranker(recipe, run, out, settings)


def _fit(recipe: LexicalRecipe, out: Path, *, data_root: Path, note: Note) -> Tables:
    from caveat.training.kinds.ranker.lexical import fit_lexical

    return fit_lexical(recipe, out, data_root=data_root, note=note)


KIND = Kind(
    name="ranker",
    recipe=RankerRecipe,
    problems=problems_of,
    method=_method,
    export=_export,
    needs=("torch", "transformers", "safetensors", "scipy"),
)
LEXICAL = Kind(name="lexical", recipe=LexicalRecipe, problems=lexical_problems, fit=_fit, needs=("scipy",))

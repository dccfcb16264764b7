"""Weights for questions on tables: which table, and how probable an interpretation is."""

from __future__ import annotations

from pathlib import Path

from caveat.training.kinds import Kind, Note, Tables
from caveat.training.kinds.tables.recipe import TablesRecipe, problems_of

__all__ = ["KIND"]


def _fit(recipe: TablesRecipe, out: Path, *, data_root: Path, note: Note) -> Tables:
    from caveat.training.kinds.tables.fit import train_tables

    return train_tables(recipe, out, data_root=data_root, note=note)


KIND = Kind(name="tables", recipe=TablesRecipe, problems=problems_of, fit=_fit, needs=("scipy",))

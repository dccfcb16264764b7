"""Weights for questions on tables: which table, and how probable an interpretation is."""

from __future__ import annotations

from caveat.core.loading import deferred
from caveat.training.kinds import Kind
from caveat.training.kinds.tables.data import TablesRecipe, problems_of

__all__ = ["KIND"]

KIND = Kind(
    name="tables",
    recipe=TablesRecipe,
    problems=problems_of,
    fit=deferred("caveat.training.kinds.tables.fit:train_tables"),
    needs=("scipy",),
)

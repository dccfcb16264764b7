"""Fitting the decision among candidate answers from documents."""

from __future__ import annotations

from pathlib import Path

from caveat.training.kinds import Kind, Note, Tables
from caveat.training.kinds.decision.recipe import DecisionRecipe, problems_of

__all__ = ["KIND"]


def _fit(recipe: DecisionRecipe, out: Path, *, data_root: Path, note: Note) -> Tables:
    from caveat.training.kinds.decision.fit import fit_decision

    return fit_decision(recipe, out, data_root=data_root, note=note)


KIND = Kind(name="decision", recipe=DecisionRecipe, problems=problems_of, fit=_fit, needs=("scipy",))

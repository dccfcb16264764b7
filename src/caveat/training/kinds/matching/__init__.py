"""Fitting the matching of questions and predicates."""

from __future__ import annotations

from pathlib import Path

from caveat.training.kinds import Kind, Note, Tables
from caveat.training.kinds.matching.recipe import MatchingRecipe, problems_of

__all__ = ["KIND"]


def _fit(recipe: MatchingRecipe, out: Path, *, data_root: Path, note: Note) -> Tables:
    from caveat.training.kinds.matching.fit import fit_matching

    return fit_matching(recipe, out, data_root=data_root, note=note)


KIND = Kind(name="matching", recipe=MatchingRecipe, problems=problems_of, fit=_fit, needs=("scipy",))

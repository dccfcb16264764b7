"""Fitting the matching of questions and predicates."""

from __future__ import annotations

from caveat.core.loading import deferred
from caveat.training.kinds import Kind
from caveat.training.kinds.matching.matcher import MatchingRecipe, problems_of

__all__ = ["KIND"]

KIND = Kind(
    name="matching",
    recipe=MatchingRecipe,
    problems=problems_of,
    fit=deferred("caveat.training.kinds.matching.fit:fit_matching"),
    needs=("scipy",),
)

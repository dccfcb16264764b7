"""Fitting what tells the kind of answer that a question wants."""

from __future__ import annotations

from pathlib import Path

from caveat.training.kinds import Kind, Note, Tables
from caveat.training.kinds.question_kind.recipe import QuestionKindRecipe, problems_of

__all__ = ["KIND"]


def _fit(recipe: QuestionKindRecipe, out: Path, *, data_root: Path, note: Note) -> Tables:
    from caveat.training.kinds.question_kind.fit import fit_question_kind

    return fit_question_kind(recipe, out, data_root=data_root, note=note)


KIND = Kind(name="question-kind", recipe=QuestionKindRecipe, problems=problems_of, fit=_fit, needs=("scipy",))

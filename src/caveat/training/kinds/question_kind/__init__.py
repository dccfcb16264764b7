"""Fitting what tells the kind of answer that a question wants."""

from __future__ import annotations

from caveat.core.loading import deferred
from caveat.training.kinds import Kind
from caveat.training.kinds.question_kind.recipe import QuestionKindRecipe, problems_of

__all__ = ["KIND"]

KIND = Kind(
    name="question-kind",
    recipe=QuestionKindRecipe,
    problems=problems_of,
    fit=deferred("caveat.training.kinds.question_kind.fit:fit_question_kind"),
    needs=("scipy",),
)

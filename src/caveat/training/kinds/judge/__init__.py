"""Training judges of statements, and fitting the weights of yes and no."""

from __future__ import annotations

from caveat.core.loading import deferred
from caveat.training.kinds import Kind
from caveat.training.kinds.judge.recipe import JudgeRecipe, YesNoRecipe, problems_of, yes_no_problems

KIND = Kind(
    name="judge",
    recipe=JudgeRecipe,
    problems=problems_of,
    method=deferred("caveat.training.kinds.judge.method:Judging"),
    export=deferred("caveat.training.kinds.judge.export:export_judge"),
)
YES_NO = Kind(
    name="yes-no",
    recipe=YesNoRecipe,
    problems=yes_no_problems,
    fit=deferred("caveat.training.kinds.judge.yes_no:fit_yes_no"),
    needs=("scipy",),
)

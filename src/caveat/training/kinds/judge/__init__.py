"""Training judges of statements."""

from __future__ import annotations

from caveat.core.loading import deferred
from caveat.training.kinds import Kind
from caveat.training.kinds.judge.data import JudgeRecipe, problems_of

KIND = Kind(
    name="judge",
    recipe=JudgeRecipe,
    problems=problems_of,
    method=deferred("caveat.training.kinds.judge.method:Judging"),
    export=deferred("caveat.training.kinds.judge.export:export_judge"),
)

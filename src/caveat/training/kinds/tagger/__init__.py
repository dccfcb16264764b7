"""Training taggers: all the spans of a text, by kind."""

from __future__ import annotations

from caveat.core.loading import deferred
from caveat.training.kinds import Kind
from caveat.training.kinds.tagger.data import TaggerRecipe, problems_of

__all__ = ["KIND"]

KIND = Kind(
    name="tagger",
    recipe=TaggerRecipe,
    problems=problems_of,
    method=deferred("caveat.training.kinds.tagger.method:Labelling"),
    export=deferred("caveat.training.kinds.tagger.export:export_tagger"),
)

"""Training rankers of sentences and tables, and fitting the weights of lexical evidence."""

from __future__ import annotations

from caveat.core.loading import deferred
from caveat.training.kinds import Kind
from caveat.training.kinds.ranker.data import LexicalRecipe, RankerRecipe, lexical_problems, problems_of

KIND = Kind(
    name="ranker",
    recipe=RankerRecipe,
    problems=problems_of,
    method=deferred("caveat.training.kinds.ranker.method:Ranking"),
    export=deferred("caveat.training.kinds.ranker.method:export_ranker"),
    needs=("torch", "transformers", "safetensors", "scipy"),
)
LEXICAL = Kind(
    name="lexical",
    recipe=LexicalRecipe,
    problems=lexical_problems,
    fit=deferred("caveat.training.kinds.ranker.lexical:fit_lexical"),
    needs=("scipy",),
)

"""The schedule of a reader's run: windows with the answer, and some without."""

from __future__ import annotations

from collections.abc import Sequence

from caveat.models.encoding import PairLayout
from caveat.training.kinds.reader.corpus import Corpus
from caveat.training.kinds.reader.samples import Sample, Sampler
from caveat.training.recipe import Recipe
from caveat.training.schedule import Schedule

__all__ = ["Plan"]


class Plan(Schedule[Sample]):
    """The phases of a recipe over tokenised data."""

    def __init__(self, recipe: Recipe, corpora: Sequence[Corpus], layout: PairLayout) -> None:
        self.recipe, self.layout = recipe, layout
        self._corpora = [(corpus, data.weight) for corpus, data in zip(corpora, recipe.data, strict=True)]
        super().__init__(recipe.seed, recipe.phases, self._sampler_of)

    def _sampler_of(self, number: int) -> Sampler:
        phase = self.recipe.phases[number]
        return Sampler(
            self._corpora,
            self.layout.specials,
            window=phase.window,
            stride=phase.stride,
            target=self.recipe.target,
            negatives=self.recipe.negatives,
            per_question=self.recipe.windows_per_question,
        )

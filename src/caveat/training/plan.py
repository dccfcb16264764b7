"""What a run will see: for every step its batch, found from the seed alone, so that any step can be started at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from caveat.errors import CaveatError
from caveat.runtime.pairs import PairLayout
from caveat.training.corpus import Corpus
from caveat.training.recipe import Recipe
from caveat.training.samples import Sample, Sampler, batches

__all__ = ["Plan"]


class Plan:
    """The phases of a recipe over tokenised data."""

    def __init__(self, recipe: Recipe, corpora: Sequence[Corpus], layout: PairLayout) -> None:
        self.recipe, self.layout = recipe, layout
        self._corpora = [(corpus, data.weight) for corpus, data in zip(corpora, recipe.data, strict=True)]
        self._sizes: list[tuple[int, int]] = []  # steps of the phase, steps of one of its epochs
        self.windows = 0
        for number, phase in enumerate(recipe.phases):
            windows = len(self._sampler(number).epoch(f"{recipe.seed} {number} 0"))
            if not windows:
                raise CaveatError(
                    f"Phase {number} has no windows: no answer fits into {phase.window} tokens, "
                    "or the data sets' weights leave no question."
                )
            steps = math.ceil(windows / phase.batch_size)
            self._sizes.append((max(1, round(phase.epochs * steps)), steps))
            self.windows += round(phase.epochs * windows)

    @property
    def steps(self) -> int:
        """All steps of the run."""
        return sum(steps for steps, _ in self._sizes)

    def batches_from(self, step: int) -> Iterator[list[Sample]]:
        """The batches of step `step` and all after it."""
        for number, (phase, (steps, an_epoch)) in enumerate(
            zip(self.recipe.phases, self._sizes, strict=True)
        ):
            if step >= steps:
                step -= steps
                continue
            sampler = self._sampler(number)
            while step < steps:
                epoch, begin = divmod(step, an_epoch)
                seed = f"{self.recipe.seed} {number} {epoch}"
                drawn = batches(sampler.epoch(seed), phase.batch_size, seed)
                # Epochs may differ by a few windows; a step's place must not depend on those before it.
                for batch in islice(cycle(drawn), begin, min(an_epoch, begin + steps - step)):
                    yield batch
                    step += 1
            step = 0

    def _sampler(self, number: int) -> Sampler:
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

"""What a run will see: for every step its batch, found from the seed alone, so that any step can be started at."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from typing import Generic, Protocol, TypeVar

from caveat.core.errors import CaveatError
from caveat.training.kinds.reader.samples import Sized, batches
from caveat.training.settings import Phase

__all__ = ["Epochs", "Schedule"]

Each = TypeVar("Each", bound=Sized)
Drawn = TypeVar("Drawn", covariant=True)


class Epochs(Protocol[Drawn]):
    """The windows of a phase, from which epochs are drawn; the same seed gives the same epoch."""

    def epoch(self, seed: str) -> Sequence[Drawn]:
        """The windows of an epoch."""
        ...


class Schedule(Generic[Each]):
    """The phases of a run over windows that `sampler` draws, given a phase's number."""

    def __init__(self, seed: int, phases: Sequence[Phase], sampler: Callable[[int], Epochs[Each]]) -> None:
        self._seed, self._phases, self._sampler = seed, phases, sampler
        self._sizes: list[tuple[int, int]] = []  # steps of the phase, steps of one of its epochs
        self.windows = 0
        for number, phase in enumerate(phases):
            windows = len(sampler(number).epoch(f"{seed} {number} 0"))
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

    def batches_from(self, step: int) -> Iterator[list[Each]]:
        """The batches of step `step` and all after it."""
        for number, (phase, (steps, an_epoch)) in enumerate(zip(self._phases, self._sizes, strict=True)):
            if step >= steps:
                step -= steps
                continue
            sampler = self._sampler(number)
            while step < steps:
                epoch, begin = divmod(step, an_epoch)
                seed = f"{self._seed} {number} {epoch}"
                drawn = batches(sampler.epoch(seed), phase.batch_size, seed)
                # Epochs may differ by a few windows; a step's place must not depend on those before it.
                for batch in islice(cycle(drawn), begin, min(an_epoch, begin + steps - step)):
                    yield batch
                    step += 1
            step = 0

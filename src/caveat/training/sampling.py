"""What a run will see: for every step its batch, found from the seed alone, so that any step can be started at.

And how data is divided: into folds by a hash, into parts that are spread evenly, into passes by a weight.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from typing import Generic, Protocol, TypeVar

from caveat.core.errors import CaveatError
from caveat.training.recipe import Phase

Item = TypeVar("Item")
Drawn = TypeVar("Drawn", covariant=True)


class Sized(Protocol):
    """Anything that takes up tokens of a batch."""

    @property
    def length(self) -> int:
        """Tokens of question and context."""
        ...


Each = TypeVar("Each", bound=Sized)


class Epochs(Protocol[Drawn]):
    """The windows of a phase, from which epochs are drawn; the same seed gives the same epoch."""

    def epoch(self, seed: str) -> Sequence[Drawn]:
        """The windows of an epoch."""
        ...


class Schedule(Generic[Each]):
    """The phases of a run over windows that `sampler` draws, given a phase's number."""

    def __init__(
        self,
        seed: int,
        phases: Sequence[Phase],
        sampler: Callable[[int], Epochs[Each]],
        cut: Callable[[Sequence[Each], int, str], list[list[Each]]] | None = None,
    ) -> None:
        """`cut` makes batches of a size of an epoch's windows, by a seed; mixed ones where it is left out."""
        self._seed, self._phases, self._sampler = seed, phases, sampler
        self._cut = cut or batches
        self._sizes: list[tuple[int, int]] = []  # steps of the phase, steps of one of its epochs
        self.windows = 0
        for number, phase in enumerate(phases):
            drawn = sampler(number).epoch(f"{seed} {number} 0")
            windows = len(drawn)
            if not windows:
                raise CaveatError(
                    f"Phase {number} has no windows: no answer fits into {phase.window} tokens, "
                    "or the data sets' weights leave no question."
                )
            steps = len(self._cut(drawn, phase.batch_size, f"{seed} {number} 0"))
            self._sizes.append((max(1, round(phase.epochs * steps)), steps))
            self.windows += round(phase.epochs * windows)

    @property
    def steps(self) -> int:
        """All steps of the run."""
        return sum(steps for steps, _ in self._sizes)

    def steps_of(self, phase: int) -> int:
        """The steps of a phase, by its number."""
        return self._sizes[phase][0]

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
                drawn = self._cut(sampler.epoch(seed), phase.batch_size, seed)
                # Epochs may differ by a few windows; a step's place must not depend on those before it.
                for batch in islice(cycle(drawn), begin, min(an_epoch, begin + steps - step)):
                    yield batch
                    step += 1
            step = 0


class Endless(Generic[Each]):
    """Batches of windows that are drawn epoch after epoch, for as long as they are asked for."""

    def __init__(self, seed: str, epochs: Epochs[Each], size: int) -> None:
        self._seed, self._epochs, self._size = seed, epochs, size
        self._drawn = self._batches(0)
        self._epoch, self._an_epoch = 0, len(self._drawn)

    def at(self, number: int) -> list[Each]:
        """The batch of that number, counted from 0."""
        epoch, place = divmod(number, self._an_epoch)
        if epoch != self._epoch:
            self._epoch, self._drawn = epoch, self._batches(epoch)
        # As in a schedule: an epoch may have a window less than the first.
        return self._drawn[place % len(self._drawn)]

    def _batches(self, epoch: int) -> list[list[Each]]:
        seed = f"{self._seed} {epoch}"
        return batches(self._epochs.epoch(seed), self._size, seed)


def batches(samples: Sequence[Each], size: int, seed: str) -> list[list[Each]]:
    """Shuffled batches of windows of about one length: data sets are mixed, and little is padded."""
    draw = random.Random(seed)
    mixed = list(samples)
    draw.shuffle(mixed)
    pool = 64 * size
    cut: list[list[Each]] = []
    for begin in range(0, len(mixed), pool):
        near = sorted(mixed[begin : begin + pool], key=lambda sample: sample.length)
        cut.extend(near[at : at + size] for at in range(0, len(near), size))
    draw.shuffle(cut)
    return cut


def repeated(items: Sequence[Item], weight: float, draw: random.Random) -> Iterator[Sequence[Item]]:
    """The passes over a set that its weight asks for: all of it a number of times, then a part that is drawn."""
    passes, rest = divmod(weight, 1.0)
    for _ in range(int(passes)):
        yield items
    if rest:
        yield draw.sample(items, round(rest * len(items)))


def spread(items: Sequence[Item], count: int) -> list[Item]:
    """About `count` of the items, spread evenly over all of them; 0 means all."""
    if not count or count >= len(items):
        return list(items)
    return [items[number * len(items) // count] for number in range(count)]


def fold_of(text: str, folds: int) -> int:
    """The fold of a text: by its characters alone, so that all questions on it fall into the same, in any file."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % folds


def said(path: str, questions: int, left_out: Mapping[str, int]) -> str:
    """What is used of a data set, in a sentence."""
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in left_out.items())
    return f"{path}: {questions:,} questions" + (f" (left out: {reasons})" if reasons else "")

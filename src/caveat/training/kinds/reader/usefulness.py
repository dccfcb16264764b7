"""Sampling by measured usefulness: of the data sets that help most with target data more is drawn.

How useful a set is, is measured on the way, every so many steps, on the reader as it then is: the cosine of the
gradient of the loss on some of the set's windows with that on some of the target's. It is by how much a small step on
the set's windows lowers the target's loss, against the best step of the same length. The cosines are averaged over
measurements and kept in the checkpoint, so that a run which goes on draws what it would have drawn.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from typing import Any

import torch
from torch import Tensor, nn

from caveat.training.kinds.reader.options import Usefulness
from caveat.training.kinds.reader.samples import Plan, Sample, Sampler
from caveat.training.sampling import batches

__all__ = ["UsefulnessMeter", "batches_by_usefulness", "cosine", "factors"]

Loss = Callable[[Sequence[Sample]], Tensor]


def cosine(first: Sequence[Tensor], second: Sequence[Tensor]) -> float:
    """The cosine of two gradients, each of many tensors; 0 where one of them is 0."""
    product = sum(float((a * b).sum()) for a, b in zip(first, second, strict=True))
    lengths = [math.sqrt(sum(float(each.square().sum()) for each in of)) for of in (first, second)]
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def factors(cosines: Sequence[float], sizes: Sequence[float], sharpness: float) -> list[float]:
    """What the weights of the sets are multiplied by: exp(sharpness × cosine), such that as much is drawn of all."""
    raised = [math.exp(sharpness * each) for each in cosines]
    drawn = sum(size * each for size, each in zip(sizes, raised, strict=True))
    return [each * sum(sizes) / drawn for each in raised]


class UsefulnessMeter:
    """Measures the data sets against target windows, and remembers what it found in the network's own buffers."""

    def __init__(
        self, network: nn.Module, kept: Any, targets: Sequence[Sample], loss: Loss, table: Usefulness
    ) -> None:
        """`kept` has the buffers `cosines` and `step`."""
        self._network, self._kept, self._targets = network, kept, targets
        self._loss, self.table = loss, table

    def measure(self, step: int, sets: Sequence[Sequence[Sample]], seed: str) -> list[float]:
        """The cosines for the steps from `step` on, measured unless they already were."""
        if int(self._kept.step) != step:
            draw = random.Random(f"usefulness {seed} {step}")
            wanted = self._gradient(self._targets, draw)
            found = torch.tensor(
                [cosine(self._gradient(samples, draw), wanted) if samples else 0.0 for samples in sets]
            )
            first = int(self._kept.step) < 0
            memory = 0.0 if first else self.table.memory
            self._kept.cosines.mul_(memory).add_((1 - memory) * found)
            self._kept.step.fill_(step)
        cosines: list[float] = self._kept.cosines.tolist()
        return cosines

    def _gradient(self, samples: Sequence[Sample], draw: random.Random) -> list[Tensor]:
        """Of the loss on some of the samples, without dropout."""
        some = draw.sample(samples, min(len(samples), self.table.windows))
        parameters = [each for each in self._network.parameters() if each.requires_grad]
        was_training = self._network.training
        self._network.eval()
        try:
            found = torch.autograd.grad(self._loss(some), parameters, allow_unused=True)
        finally:
            self._network.train(was_training)
        return [
            torch.zeros_like(each) if grad is None else grad
            for each, grad in zip(parameters, found, strict=True)
        ]


def batches_by_usefulness(plan: Plan, meter: UsefulnessMeter, step: int) -> Iterator[list[Sample]]:
    """The batches of step `step` and all after it: stretches of `every` steps, each drawn by what was measured then."""
    recipe, every = plan.recipe, meter.table.every
    before = 0
    for number, phase in enumerate(recipe.phases):
        steps = plan.steps_of(number)
        if step >= before + steps:
            before += steps
            continue
        sampler = plan.sampler_of(number)
        an_epoch = sampler.epoch(f"{recipe.seed} {number} 0")
        sets: list[list[Sample]] = [[] for _ in recipe.data]
        for sample in an_epoch:
            sets[sample.domain].append(sample)
        part = every * phase.batch_size / len(an_epoch)
        while step < before + steps:
            begin = step - (step - before) % every
            cosines = meter.measure(begin, sets, str(recipe.seed))
            drawn = _drawn(sampler, sets, cosines, part, meter.table.sharpness, f"{recipe.seed} {begin}")
            cut = batches(drawn, phase.batch_size, f"{recipe.seed} {begin}")
            end = min(begin + every, before + steps)
            for batch in islice(cycle(cut), step - begin, end - begin):
                yield batch
                step += 1
        before += steps


def _drawn(
    sampler: Sampler,
    sets: Sequence[Sequence[Sample]],
    cosines: Sequence[float],
    part: float,
    sharpness: float,
    seed: str,
) -> list[Sample]:
    """Windows of about `part` of an epoch, of each set by its usefulness."""
    by_set = factors(cosines, [len(each) for each in sets], sharpness)
    # A part that rounds to nothing everywhere would leave the stretch without a batch.
    return sampler.epoch(seed, [part * each for each in by_set]) or sampler.epoch(seed)

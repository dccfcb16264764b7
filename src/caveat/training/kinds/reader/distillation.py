"""Distillation: what other readers say of a window's tokens is learnt beside the gold answer (Hinton et al. 2015).

The teachers are model folders, and may have tokenizers of their own: the probability that each gives to its tokens as
first and last goes to the student's token with the same character, so that no probability is lost. Several teachers are
an ensemble: the mean of what they say is learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from caveat.models.alignment import Edge, carried
from caveat.models.embedded import find
from caveat.models.encoding import PairLayout
from caveat.models.reader import Reader, ReadRequest, TextScores
from caveat.training.kinds.reader.options import Distillation
from caveat.training.kinds.reader.samples import Batch, Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Teaching", "soft_loss"]


def soft_loss(scores: Tensor, allowed: Tensor, targets: Tensor, temperature: float) -> Tensor:
    """The mean of KL(targets ‖ softmax of a row's allowed scores by the temperature), times its square.

    The square keeps the gradient's size whatever the temperature.
    """
    low = torch.finfo(scores.dtype).min
    found = torch.log_softmax(scores.masked_fill(~allowed, low) / temperature, dim=-1)
    each = torch.where(targets > 0, targets * (targets.clamp(min=1e-12).log() - found), 0.0)
    return temperature**2 * each.sum(dim=-1).mean()


class Teaching:
    """Teachers, and what they say of a batch."""

    def __init__(self, table: Distillation, layout: PairLayout, *, no_answer: bool, threads: int) -> None:
        self._table, self._layout, self._no_answer = table, layout, no_answer
        self._teachers = [Reader.load(find(folder), threads=threads or None) for folder in table.teachers]
        for teacher in self._teachers:
            teacher.encode_question("?")  # a damaged folder is told here, and not at the first step

    def loss(self, samples: Sequence[Sample], batch: Batch, starts: Tensor, ends: Tensor) -> Tensor:
        """The mean of the losses of start and end."""
        begin, end = self.targets(samples, batch)
        heat = self._table.temperature
        return (soft_loss(starts, batch.allowed, begin, heat) + soft_loss(ends, batch.allowed, end, heat)) / 2

    def targets(self, samples: Sequence[Sample], batch: Batch) -> tuple[Tensor, Tensor]:
        """The teachers' distributions over the batch's positions, as starts and as ends.

        Of a window that no teacher can read the gold answer stands for them.
        """
        starts, ends = (torch.zeros(batch.input_ids.shape) for _ in range(2))
        requests = [ReadRequest(sample.asked, _text(sample)) for sample in samples]
        told = [list(teacher.scores(requests)) for teacher in self._teachers]
        for row, sample in enumerate(samples):
            said = [each for scores in told if (each := scores[row]) is not None]
            if not said:
                starts[row, batch.starts[row]] = ends[row, batch.ends[row]] = 1.0
            for scores in said:
                starts[row] += self._spread(sample, scores, "start", starts.shape[1]) / len(said)
                ends[row] += self._spread(sample, scores, "end", ends.shape[1]) / len(said)
        return starts, ends

    def _spread(self, sample: Sample, scores: TextScores, edge: Edge, length: int) -> Tensor:
        """One teacher's distribution over the positions of one window."""
        text, raw = scores.text, scores.starts if edge == "start" else scores.ends
        heated = np.concatenate([[0.0 if self._no_answer else -np.inf], raw / self._table.temperature])
        mass = np.exp(heated - heated.max())
        mass = (mass / mass.sum()).astype(np.float32)
        own_starts, own_ends = _offsets(sample)
        at = text.starts if edge == "start" else text.ends - 1
        context = carried(mass[1:], at, own_starts, own_ends, edge)
        begin = len(self._layout.before) + len(sample.question) + len(self._layout.between)
        found = torch.zeros(length)
        found[0] = float(mass[0])
        found[begin : begin + len(context)] = torch.from_numpy(context)
        return found


def _text(sample: Sample) -> str:
    passage = sample.passage
    return passage.text[passage.starts[sample.first] : passage.ends[sample.last - 1]]


def _offsets(sample: Sample) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Of the window's tokens, from its own first character."""
    passage, part = sample.passage, slice(sample.first, sample.last)
    shift = passage.starts[sample.first]
    starts, ends = (np.array(each[part], dtype=np.int32) - shift for each in (passage.starts, passage.ends))
    return starts, ends

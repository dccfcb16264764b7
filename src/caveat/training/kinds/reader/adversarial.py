"""Adversarial training, after 42Maru: what the encoder says of a window must not tell which data set it is of.

The discriminator is trained on the first token's state to tell the set. The encoder is trained to confuse it, in one of
two ways. In the paper's, the divergence of the discriminator's distribution from the uniform one is added to the
reader's loss, and moves the encoder alone, while the discriminator's own loss moves the discriminator alone. By
gradient reversal (Ganin and Lempitsky 2015) both move by the discriminator's loss, the encoder upwards. The paper
alternates the two updates; here both are of one step, from the same states.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cross_entropy, log_softmax

from caveat.training.kinds.reader.companions import Reading
from caveat.training.kinds.reader.options import Adversarial

__all__ = ["AdversarialCompanion", "divergence_from_uniform", "reversed_gradient"]


def divergence_from_uniform(scores: Tensor) -> Tensor:
    """The mean of KL(uniform ‖ softmax of a row); 0 where all scores of a row are equal."""
    return -math.log(scores.shape[-1]) - log_softmax(scores, dim=-1).mean(dim=-1).mean()


class _Reversal(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: float) -> Tensor:
        ctx.weight = weight
        return states.view_as(states)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return -ctx.weight * gradients[0], None


def reversed_gradient(states: Tensor, weight: float) -> Tensor:
    """The states themselves, whose gradient comes back reversed and times the weight."""
    found: Tensor = _Reversal.apply(states, weight)
    return found


class AdversarialCompanion:
    """The discriminator's loss and, by the same call, the encoder's for not confusing it."""

    def __init__(self, discriminator: nn.Module, table: Adversarial) -> None:
        self._discriminator, self._table = discriminator, table

    def loss(self, reading: Reading) -> Tensor:
        """Of the windows of the batch."""
        first = reading.states[:, 0]
        domains = torch.tensor([sample.domain for sample in reading.samples])
        if self._table.confusion == "reversal":
            told = self._discriminator(reversed_gradient(first, self._table.weight))
            return cross_entropy(told, domains)
        learnt = cross_entropy(self._discriminator(first.detach()), domains)
        fixed = {name: value.detach() for name, value in self._discriminator.named_parameters()}
        told = functional_call(self._discriminator, fixed, (first,))
        return learnt + self._table.weight * divergence_from_uniform(told)

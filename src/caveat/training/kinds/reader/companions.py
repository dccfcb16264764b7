"""Companions: losses beside the reader's own, with heads that only the training has.

The adversarial one is after 42Maru: what the encoder says of a window must not tell which data set it is of. The
discriminator is trained on the first token's state to tell the set. The encoder is trained to confuse it, in one of two
ways. In the paper's, the divergence of the discriminator's distribution from the uniform one is added to the reader's
loss, and moves the encoder alone, while the discriminator's own loss moves the discriminator alone. By gradient
reversal (Ganin and Lempitsky 2015) both move by the discriminator's loss, the encoder upwards. The paper alternates the
two updates; here both are of one step, from the same states.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cross_entropy, log_softmax

from caveat.training.kinds.reader.options import Adversarial
from caveat.training.kinds.reader.recipe import ReaderRecipe
from caveat.training.kinds.reader.samples import Batch, Sample
from caveat.training.networks import head


class Reading(NamedTuple):
    """A batch, the step that it is of, and what the reader made of it: the states behind all its layers."""

    step: int
    samples: Sequence[Sample]
    batch: Batch
    states: Tensor


class Companion(Protocol):
    """A further loss; its head, if it has one, is one of the network's companions."""

    def loss(self, reading: Reading) -> Tensor:
        """What is added to the loss of the batch, weighted."""
        ...


class MaskedWordsHead(nn.Module):
    """Scores of all words for a state, by the encoder's own table of them."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        words, width = encoder.get_input_embeddings().weight.shape
        self.transform = nn.Sequential(
            nn.Linear(int(encoder.config.hidden_size), width), nn.GELU(), nn.LayerNorm(width)
        )
        self.bias = nn.Parameter(torch.zeros(words))

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        """States of any shape to as many rows of scores."""
        scores: Tensor = self.transform(states) @ table.T + self.bias
        return scores


class Discriminator(nn.Module):
    """Scores of the data sets for the state of a window's first token."""

    def __init__(self, encoder: Any, layers: int, sets: int) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        hidden = [part for _ in range(layers) for part in (nn.Linear(width, width), nn.GELU())]
        self.layers = nn.Sequential(*hidden, nn.Linear(width, sets))

    def forward(self, states: Tensor) -> Tensor:
        """Rows of states to rows of scores."""
        scores: Tensor = self.layers(states)
        return scores


class _Measured(nn.Module):
    """How useful each data set is, as last measured, and at which step; in checkpoints, since a run goes by it."""

    def __init__(self, sets: int) -> None:
        super().__init__()
        self.register_buffer("cosines", torch.zeros(sets))
        self.register_buffer("step", torch.tensor(-1))


def heads_beside(recipe: ReaderRecipe, encoder: Any) -> dict[str, nn.Module]:
    """The heads that the training by a recipe needs, by their names."""
    heads: dict[str, nn.Module] = {}
    if recipe.auxiliary and recipe.auxiliary.ranking:
        heads["ranking"] = head(encoder, 1)
    if recipe.auxiliary and recipe.auxiliary.inference:
        heads["inference"] = head(encoder, 3)
    if recipe.auxiliary and recipe.auxiliary.masked:
        heads["masked"] = MaskedWordsHead(encoder)
    if recipe.adversarial:
        heads["discriminator"] = Discriminator(encoder, recipe.adversarial.layers, len(recipe.data))
    if recipe.usefulness:
        heads["usefulness"] = _Measured(len(recipe.data))
    return heads


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

"""Companions: losses beside the reader's own, with heads that only the training has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from caveat.training.kinds.reader.recipe import ReaderRecipe
from caveat.training.kinds.reader.samples import Batch, Sample
from caveat.training.networks import head

__all__ = ["Companion", "Discriminator", "MaskedWordsHead", "Reading", "heads_beside"]


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

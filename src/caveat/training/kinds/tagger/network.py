"""The tagger: an encoder and a small network that scores each token as B and I of every kind of span, and as O."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import msgspec
from torch import Tensor, nn

from caveat.models.tagger import Layers, column_count
from caveat.training.networks import EncoderSettings, head, load_network, new_network, states

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = [
    "CARD",
    "UNLABELLED",
    "TaggerCard",
    "TaggerNetwork",
    "load_tagger",
    "new_tagger",
    "tag_loss",
]

CARD = "tagger.json"
# The label of a token that is not learnt from.
UNLABELLED = -100


class TaggerNetwork(nn.Module):
    """Scores of every position, layer by layer: O, then B and I of each kind (`caveat.models.tagger`)."""

    def __init__(self, encoder: Any, layers: Layers) -> None:
        super().__init__()
        self.encoder = encoder
        self.tags = head(encoder, column_count(layers))

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return (self.tags,)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Scores, batch × length × columns."""
        scores: Tensor = self.tags(states(self.encoder, input_ids, attention_mask, token_type_ids))
        return scores


def tag_loss(scores: Tensor, labels: Tensor, layers: Layers) -> Tensor:
    """The mean cross-entropy of the labelled tokens in each layer, added up over the layers.

    `labels` are layers × batch × length: the column within the layer, or UNLABELLED.
    """
    total = scores.new_zeros(())
    at = 0
    for kinds, wanted in zip(layers, labels, strict=True):
        columns = 1 + 2 * len(kinds)
        if bool((wanted != UNLABELLED).any()):
            total = total + nn.functional.cross_entropy(
                scores[..., at : at + columns].flatten(0, 1), wanted.flatten(), ignore_index=UNLABELLED
            )
        at += columns
    return total


class TaggerCard(msgspec.Struct, frozen=True):
    """What a saved tagger says about itself beside its weights."""

    layers: tuple[tuple[str, ...], ...]
    recipe: dict[str, Any] = {}
    scores: dict[str, Any] = {}


def new_tagger(
    name: str,
    layers: Layers,
    **settings: Unpack[EncoderSettings],
) -> tuple[TaggerNetwork, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    return new_network(lambda encoder: TaggerNetwork(encoder, layers), name, **settings)


def load_tagger(folder: Path) -> tuple[TaggerNetwork, Tokenizer, TaggerCard]:
    """A tagger that a run has saved, ready for inference."""
    return load_network(
        folder, CARD, TaggerCard, lambda encoder, card: TaggerNetwork(encoder, card.layers), "tagger"
    )

"""The ranker: an encoder over question and candidate together, and a small network that scores the pair."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from torch import Tensor, nn

from caveat.errors import CaveatError
from caveat.formats.json_files import read_json, write_json
from caveat.training.networks import (
    draw_weights,
    encoder_with,
    head,
    load_weights,
    save_weights,
    saved_encoder,
    states,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Ranker", "RankerCard", "load_ranker", "new_ranker", "save_ranker"]

_CARD = "ranker.json"


class Ranker(nn.Module):
    """The log-odds that a candidate answers a question, read off the first token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.pair = head(encoder, 1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Scores, one a row of the batch."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        # The first token as a window of one, so that its products are those of every other head.
        scores: Tensor = self.pair(found[:, :1])[:, 0, 0]
        return scores


class RankerCard(msgspec.Struct, frozen=True):
    """What a saved ranker says about itself beside its weights."""

    recipe: dict[str, Any] = {}
    scores: dict[str, Any] = {}


def new_ranker(
    name: str,
    *,
    dropout: float | None = None,
    attention_dropout: float | None = None,
    lower_case: bool | None = None,
) -> tuple[Ranker, Tokenizer]:
    """An encoder with a fresh head, initialised from torch's current seed."""
    encoder, tokenizer = encoder_with(
        name, dropout=dropout, attention_dropout=attention_dropout, lower_case=lower_case
    )
    ranker = Ranker(encoder)
    draw_weights(ranker.pair, encoder=encoder)
    return ranker, tokenizer


def save_ranker(folder: Path, ranker: Ranker, tokenizer: Tokenizer, card: RankerCard) -> None:
    """Weights, the encoder's configuration, tokenizer and card in a folder."""
    save_weights(folder, ranker, tokenizer)
    write_json(folder / _CARD, card)


def load_ranker(folder: Path) -> tuple[Ranker, Tokenizer, RankerCard]:
    """A ranker that `save_ranker` wrote, ready for inference."""
    if not (folder / _CARD).is_file():
        raise CaveatError(f"{folder} holds no trained ranker: {_CARD} is missing.")
    card = read_json(folder / _CARD, RankerCard)
    encoder, tokenizer = saved_encoder(folder)
    ranker = Ranker(encoder)
    load_weights(folder, ranker)
    return ranker, tokenizer, card

"""The extractive reader: an encoder and two small networks that score each token as start and as end.

Position 0, the encoder's first special token, stands for "this window does not answer the question".
"""

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

__all__ = ["Reader", "ReaderCard", "load_reader", "new_reader", "save_reader"]

_CARD = "reader.json"


class Reader(nn.Module):
    """Scores of every position as the answer's first and as its last token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.start = head(encoder, 1)
        self.end = head(encoder, 1)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Start and end scores, both batch × length; the caller leaves out positions outside the context."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        return self.start(found).squeeze(-1), self.end(found).squeeze(-1)


class ReaderCard(msgspec.Struct, frozen=True):
    """What a saved reader says about itself beside its weights."""

    recipe: dict[str, Any] = {}
    scores: dict[str, Any] = {}


def new_reader(
    name: str,
    *,
    dropout: float | None = None,
    attention_dropout: float | None = None,
    lower_case: bool | None = None,
) -> tuple[Reader, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    encoder, tokenizer = encoder_with(
        name, dropout=dropout, attention_dropout=attention_dropout, lower_case=lower_case
    )
    reader = Reader(encoder)
    draw_weights(reader.start, reader.end, encoder=encoder)
    return reader, tokenizer


def save_reader(folder: Path, reader: Reader, tokenizer: Tokenizer, card: ReaderCard) -> None:
    """Weights, the encoder's configuration, tokenizer and card in a folder."""
    save_weights(folder, reader, tokenizer)
    write_json(folder / _CARD, card)


def load_reader(folder: Path) -> tuple[Reader, Tokenizer, ReaderCard]:
    """A reader that `save_reader` wrote, ready for inference."""
    if not (folder / _CARD).is_file():
        raise CaveatError(f"{folder} holds no trained reader: {_CARD} is missing.")
    card = read_json(folder / _CARD, ReaderCard)
    encoder, tokenizer = saved_encoder(folder)
    reader = Reader(encoder)
    load_weights(folder, reader)
    return reader, tokenizer, card

"""The extractive reader: an encoder and two small networks that score each token as start and as end.

Position 0, the encoder's first special token, stands for "this window does not answer the question".
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from caveat.training.networks import NetworkCard, head, load_network, new_network, save_network, states

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Reader", "ReaderCard", "load_reader", "new_reader", "save_reader"]

_CARD = "reader.json"
ReaderCard = NetworkCard


class Reader(nn.Module):
    """Scores of every position as the answer's first and as its last token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.start = head(encoder, 1)
        self.end = head(encoder, 1)

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return self.start, self.end

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Start and end scores, both batch × length; the caller leaves out positions outside the context."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        return self.start(found).squeeze(-1), self.end(found).squeeze(-1)


def new_reader(
    name: str,
    *,
    dropout: float | None = None,
    attention_dropout: float | None = None,
    lower_case: bool | None = None,
) -> tuple[Reader, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    return new_network(
        Reader, name, dropout=dropout, attention_dropout=attention_dropout, lower_case=lower_case
    )


def save_reader(folder: Path, reader: Reader, tokenizer: Tokenizer, card: ReaderCard) -> None:
    """Weights, the encoder's configuration, tokenizer and card in a folder."""
    save_network(folder, reader, tokenizer, card, _CARD)


def load_reader(folder: Path) -> tuple[Reader, Tokenizer, ReaderCard]:
    """A reader that `save_reader` wrote, ready for inference."""
    return load_network(folder, _CARD, ReaderCard, lambda encoder, _: Reader(encoder), "reader")

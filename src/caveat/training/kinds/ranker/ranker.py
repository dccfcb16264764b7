"""The ranker: an encoder over question and candidate together, and a small network that scores the pair."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from caveat.training.networks import NetworkCard, head, load_network, new_network, save_network, states

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Ranker", "RankerCard", "load_ranker", "new_ranker", "save_ranker"]

_CARD = "ranker.json"
RankerCard = NetworkCard


class Ranker(nn.Module):
    """The log-odds that a candidate answers a question, read off the first token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.pair = head(encoder, 1)

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return (self.pair,)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Scores, one a row of the batch."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        # The first token as a window of one, so that its products are those of every other head.
        scores: Tensor = self.pair(found[:, :1])[:, 0, 0]
        return scores


def new_ranker(
    name: str,
    *,
    dropout: float | None = None,
    attention_dropout: float | None = None,
    lower_case: bool | None = None,
) -> tuple[Ranker, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    return new_network(
        Ranker, name, dropout=dropout, attention_dropout=attention_dropout, lower_case=lower_case
    )


def save_ranker(folder: Path, ranker: Ranker, tokenizer: Tokenizer, card: RankerCard) -> None:
    """Weights, the encoder's configuration, tokenizer and card in a folder."""
    save_network(folder, ranker, tokenizer, card, _CARD)


def load_ranker(folder: Path) -> tuple[Ranker, Tokenizer, RankerCard]:
    """A ranker that `save_ranker` wrote, ready for inference."""
    return load_network(folder, _CARD, RankerCard, lambda encoder, _: Ranker(encoder), "ranker")

"""The judge: an encoder over premise and statement together, and a small network that weighs three verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from torch import Tensor, nn

from caveat.training.networks import (
    EncoderSettings,
    NetworkCard,
    head,
    load_network,
    new_network,
    states,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["CARD", "JudgeNetwork", "load_judge", "new_judge"]

CARD = "judge.json"


class JudgeNetwork(nn.Module):
    """Scores of "it is so", "it is not so" and "it is open", read off the first token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.verdict = head(encoder, 3)

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return (self.verdict,)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Three scores, each of one a row of the batch."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        # The first token as a window of one, so that its products are those of every other head.
        scores = self.verdict(found[:, :1])
        return scores[:, 0, 0], scores[:, 0, 1], scores[:, 0, 2]


def new_judge(name: str, **settings: Unpack[EncoderSettings]) -> tuple[JudgeNetwork, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    return new_network(JudgeNetwork, name, **settings)


def load_judge(folder: Path) -> tuple[JudgeNetwork, Tokenizer, NetworkCard]:
    """A judge that a run has saved, ready for inference."""
    return load_network(folder, CARD, NetworkCard, lambda encoder, _: JudgeNetwork(encoder), "judge")

"""The joint reader: an encoder over question and text, and heads for spans, for the verdict and for single tokens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from torch import Tensor, nn

from caveat.training.kinds.joint.examples import VERDICTS
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

CARD = "joint.json"


class JointNetwork(nn.Module):
    """Scores of each token as the answer's first and last, of the five verdicts, of evidence, answers and conditions.

    The first token's scores as start and end stand for "no span of this text".
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.span = head(encoder, 2)
        self.verdict = head(encoder, len(VERDICTS))
        self.token = head(encoder, 2)
        self.condition = head(encoder, 1)

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return self.span, self.verdict, self.token, self.condition

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Start and end, batch × length; verdicts, batch × 5; evidence, answer and condition, batch × length."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        spans, tokens, verdict = self.span(found), self.token(found), self.verdict(found[:, :1])[:, 0]
        condition = self.condition(found)[..., 0]
        return spans[..., 0], spans[..., 1], verdict, tokens[..., 0], tokens[..., 1], condition


class SpansOnly(nn.Module):
    """A joint reader where a reader of spans is wanted."""

    def __init__(self, network: JointNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Start and end scores."""
        start, end, *_ = self.network(input_ids, attention_mask, token_type_ids)
        return start, end


def new_joint(name: str, **settings: Unpack[EncoderSettings]) -> tuple[JointNetwork, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    return new_network(JointNetwork, name, **settings)


def load_joint(folder: Path) -> tuple[JointNetwork, Tokenizer, NetworkCard]:
    """A network that its training saved, ready for inference."""
    return load_network(
        folder, CARD, NetworkCard, lambda encoder, card: JointNetwork(encoder), "joint reader"
    )

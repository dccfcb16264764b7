"""The pipeline, as ConditionalQA's paper has it with ETC: a section is read for its answer, then every element for
whether it is a condition of that answer.

The paper has an encoder for each stage; here the stages are heads of one, which is half as large.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from caveat.training.kinds.conditional.card import CARD, WHAT, ConditionalCard
from caveat.training.kinds.conditional.recipe import ConditionalRecipe
from caveat.training.networks import encoder_settings, head, load_network, new_network, save_network, states

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["KINDS", "Pipeline", "load_pipeline", "new_pipeline", "save_pipeline"]

# What a section says to a question.
KINDS = ("span", "yes", "no", "none")


class Pipeline(nn.Module):
    """Scores of a section's kinds of answer, of its tokens as first and last of a span, and of an element."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.kind = head(encoder, len(KINDS))
        self.start = head(encoder, 1)
        self.end = head(encoder, 1)
        self.condition = head(encoder, 1)

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return self.kind, self.start, self.end, self.condition

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Kinds, batch × 4; starts and ends, batch × length; the log-odds of a condition, batch."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        first = found[:, 0]
        return (
            self.kind(first),
            self.start(found).squeeze(-1),
            self.end(found).squeeze(-1),
            self.condition(first).squeeze(-1),
        )


def new_pipeline(recipe: ConditionalRecipe) -> tuple[Pipeline, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    return new_network(
        Pipeline,
        recipe.encoder,
        **encoder_settings(recipe),
    )


def save_pipeline(folder: Path, network: Pipeline, tokenizer: Tokenizer, card: ConditionalCard) -> None:
    """Weights, the encoder's configuration, tokenizer and card in a folder."""
    save_network(folder, network, tokenizer, card, CARD)


def load_pipeline(folder: Path) -> tuple[Pipeline, Tokenizer, ConditionalCard]:
    """A pipeline that `save_pipeline` wrote, ready for inference."""
    return load_network(folder, CARD, ConditionalCard, lambda encoder, _: Pipeline(encoder), WHAT)

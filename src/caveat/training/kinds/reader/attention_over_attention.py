"""Attention over attention (Cui et al. 2017), as HLTC puts it between an encoder and a reader's heads.

Of the products of all passage and question tokens two softmaxes are taken: over the passage for each token of the
question (α), and over the question for each token of the passage (β). The mean of β over the passage says how much
each question token matters, and the mean of the αs by it is one attention over the passage, which sums to 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from caveat.training.kinds.reader.segments import Segments, masked_softmax

__all__ = ["AttentionOverAttention", "Attentions", "attend_over_attention"]


class Attentions(NamedTuple):
    """α and β, both batch × passage × question, and the attention over the passage, batch × passage.

    Tokens that are of neither part have 0 in all of them; passage and question are the whole window each.
    """

    over_passage: Tensor
    over_question: Tensor
    combined: Tensor


def attend_over_attention(products: Tensor, question: Tensor, passage: Tensor) -> Attentions:
    """From the products of every token (rows: passage) with every other (columns: question), and the masks."""
    pairs = passage.unsqueeze(2) & question.unsqueeze(1)
    over_passage = masked_softmax(products, pairs, dim=1)
    over_question = masked_softmax(products, pairs, dim=2)
    matters = over_question.sum(dim=1) / passage.sum(dim=1, keepdim=True)
    return Attentions(over_passage, over_question, (over_passage * matters.unsqueeze(1)).sum(dim=2))


class AttentionOverAttention(nn.Module):
    """Adds to each state what the question says to it, by β, and itself by how much it is attended to."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.segments = Segments()
        self.passage, self.question = nn.Linear(width, width), nn.Linear(width, width)
        self.joined = nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, states: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The states, joined with what was attended to."""
        question, passage = self.segments(input_ids, attention_mask)
        keys = self.question(states)
        products = self.passage(states) @ keys.transpose(1, 2) / states.shape[-1] ** 0.5
        found = attend_over_attention(products, question, passage)
        heard = found.over_question @ states
        # A token that is attended to as much as the others counts once.
        shares = found.combined * passage.sum(dim=1, keepdim=True)
        said = self.joined(torch.cat((heard, states * shares.unsqueeze(2)), dim=2))
        joined: Tensor = self.norm(states + said)
        return joined

"""Which tokens of a window are the question's, and which the passage's, told by the token that stands between."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

__all__ = ["Segments"]


class Segments(nn.Module):
    """Masks of question and passage; the first token, "no answer", counts to the passage.

    By the ids alone: not every encoder has segments.
    """

    separator: Tensor

    def __init__(self) -> None:
        super().__init__()
        # Set when the tokenizer is known; of the tokenizer, so not among the weights.
        self.register_buffer("separator", torch.tensor(-1), persistent=False)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Question and passage, each batch × length, true where a token is of it."""
        between = input_ids == self.separator
        behind = between.long().cumsum(dim=1) > 0
        there = (attention_mask > 0) & ~between
        first = torch.zeros_like(input_ids)
        first[:, 0] = 1
        is_first = first > 0
        return there & ~behind & ~is_first, (there & behind) | is_first


def masked_softmax(scores: Tensor, allowed: Tensor, dim: int) -> Tensor:
    """Softmax over what is allowed along a dimension; 0 elsewhere, and everywhere if nothing is."""
    low: Any = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(~allowed, low), dim=dim) * allowed

"""Attention from passage to question and back, then of the passage to itself, on features that stay as they are.

After HierAtt: bidirectional attention (Seo et al. 2017) and self-attention, without their recurrent layers.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from caveat.training.kinds.reader.segments import Segments, masked_softmax

__all__ = ["TwoWayAttention"]


class TwoWayAttention(nn.Module):
    """What is learnt of a reader whose encoder is frozen, before its heads."""

    def __init__(self, encoder: Any, width: int) -> None:
        super().__init__()
        features = int(encoder.config.hidden_size)
        width = width or features
        self.segments = Segments()
        self.narrow = nn.Sequential(nn.Linear(features, width), nn.GELU())
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.joined = nn.Sequential(nn.Linear(4 * width, width), nn.GELU())
        self.self_query, self.self_key = nn.Linear(width, width), nn.Linear(width, width)
        self.again = nn.Sequential(nn.Linear(3 * width, width), nn.GELU())
        self.wide = nn.Linear(width, features)
        self.norm = nn.LayerNorm(features)

    def forward(self, states: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The states, joined with what was attended to."""
        question, passage = self.segments(input_ids, attention_mask)
        narrow = self.narrow(states)
        scale = narrow.shape[-1] ** 0.5
        products = self.query(narrow) @ self.key(narrow).transpose(1, 2) / scale
        to_question = masked_softmax(products, question.unsqueeze(1).expand_as(products), dim=2)
        heard = to_question @ narrow
        # Back: the passage tokens that some token of the question asks for most, as one vector for all.
        low = torch.finfo(products.dtype).min
        asked_for = products.masked_fill(~question.unsqueeze(1), low).amax(dim=2)
        back = masked_softmax(asked_for, passage, dim=1).unsqueeze(1) @ narrow
        joined = self.joined(torch.cat((narrow, heard, narrow * heard, narrow * back), dim=2))
        looks = self.self_query(joined) @ self.self_key(joined).transpose(1, 2) / scale
        seen = masked_softmax(looks, passage.unsqueeze(1).expand_as(looks), dim=2) @ joined
        again = self.again(torch.cat((joined, seen, joined * seen), dim=2))
        found: Tensor = self.norm(states + self.wide(again))
        return found

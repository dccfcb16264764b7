"""Three steps of attention over the elements of a page, after DocHopper in ConditionalQA's paper.

Every element is encoded by itself; a layer of attention then lets them, and the question among them, know each other.
The query, at first the question, attends to the evidences, then to the element with the answer, then to its conditions,
and is made anew from what it found after each step.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

from caveat.training.kinds.conditional.card import CARD, WHAT, ConditionalCard
from caveat.training.kinds.conditional.pipeline import KINDS
from caveat.training.kinds.conditional.recipe import ConditionalRecipe
from caveat.training.networks import encoder_settings, head, load_network, new_network, save_network, states

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Hops", "PageScores", "load_hops", "new_hops", "save_hops"]


class PageScores(NamedTuple):
    """Of a page: log-probabilities of its elements as evidence and as the answer's, kinds of answer, log-odds of
    conditions, and the query with which an element's tokens are read."""

    evidence: Tensor
    answer: Tensor
    kinds: Tensor
    conditions: Tensor
    query: Tensor


class Hops(nn.Module):
    """An encoder of elements, and the three steps over them."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        width = int(encoder.config.hidden_size)
        self.page = nn.TransformerEncoderLayer(
            width,
            int(encoder.config.num_attention_heads),
            2 * width,
            dropout=float(getattr(encoder.config, "hidden_dropout_prob", 0.1)),
            activation="gelu",
            batch_first=True,
        )
        self.asked = nn.ModuleList(nn.Linear(width, width) for _ in range(3))
        self.taken = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(2))
        self.even = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.kind = head(encoder, len(KINDS))
        self.condition = head(encoder, 1)
        self.start = head(encoder, 1)
        self.end = head(encoder, 1)

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return self.kind, self.condition, self.start, self.end

    def encode(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Token states, batch × length × width."""
        return states(self.encoder, input_ids, attention_mask, token_type_ids)

    def hop(self, question: Tensor, elements: Tensor) -> PageScores:
        """The three steps over the vectors of a page's elements, elements × width, for a question's vector."""
        width = elements.shape[1]
        ordered = elements + _positions(len(elements), width)
        known = self.page(torch.cat([question.unsqueeze(0), ordered]).unsqueeze(0))[0]
        query, elements = known[0], known[1:]
        weighed = []
        for asked, taken, even in zip(self.asked, self.taken, self.even, strict=False):
            weights = torch.log_softmax(elements @ asked(query) / math.sqrt(width), dim=0)
            weighed.append(weights)
            query = even(query + taken(torch.cat([query, weights.exp() @ elements])))
        # Any number of elements may be conditions: each by itself, and not against the others.
        wanted = elements * self.asked[2](query)
        return PageScores(weighed[0], weighed[1], self.kind(query), self.condition(wanted).squeeze(-1), query)

    def spans(self, tokens: Tensor, query: Tensor) -> tuple[Tensor, Tensor]:
        """Scores of an element's tokens as the first and as the last of the answer."""
        read = tokens + query
        return self.start(read).squeeze(-1), self.end(read).squeeze(-1)


def _positions(count: int, width: int) -> Tensor:
    """Sines and cosines of an element's number, small beside what it says."""
    places = torch.arange(count).unsqueeze(1)
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    table = torch.zeros(count, width)
    table[:, 0::2] = torch.sin(places * rates)
    table[:, 1::2] = torch.cos(places * rates)[:, : width // 2]
    return 0.1 * table


def new_hops(recipe: ConditionalRecipe) -> tuple[Hops, Tokenizer]:
    """An encoder with fresh steps and heads, initialised from torch's current seed."""
    return new_network(
        Hops,
        recipe.encoder,
        **encoder_settings(recipe),
    )


def save_hops(folder: Path, network: Hops, tokenizer: Tokenizer, card: ConditionalCard) -> None:
    """Weights, the encoder's configuration, tokenizer and card in a folder."""
    save_network(folder, network, tokenizer, card, CARD)


def load_hops(folder: Path) -> tuple[Hops, Tokenizer, ConditionalCard]:
    """A model that `save_hops` wrote, ready for inference."""
    return load_network(folder, CARD, ConditionalCard, lambda encoder, _: Hops(encoder), WHAT)

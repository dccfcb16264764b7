"""Layers that may stand between an encoder and a reader's heads: two kinds of attention, and a mixture of experts."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from caveat.training.kinds.reader.companions import Reading
from caveat.training.kinds.reader.options import Experts


class Segments(nn.Module):
    """Which tokens of a window are the question's, and which the passage's, told by the token that stands between.

    The first token, "no answer", counts to the passage. By the ids alone: not every encoder has segments.
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


class TwoWayAttention(nn.Module):
    """Attention from passage to question and back, then of the passage to itself, on features that stay as they are.

    After HierAtt: bidirectional attention (Seo et al. 2017) and self-attention, without their recurrent layers. It is
    what is learnt of a reader whose encoder is frozen, before its heads.
    """

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


class Attentions(NamedTuple):
    """α and β, both batch × passage × question, and the attention over the passage, batch × passage.

    Tokens that are of neither part have 0 in all of them; passage and question are the whole window each.
    """

    over_passage: Tensor
    over_question: Tensor
    combined: Tensor


def attend_over_attention(products: Tensor, question: Tensor, passage: Tensor) -> Attentions:
    """From the products of every token (rows: passage) with every other (columns: question), and the masks.

    Of the products two softmaxes are taken: over the passage for each token of the question (α), and over the question
    for each token of the passage (β). The mean of β over the passage says how much each question token matters, and
    the mean of the αs by it is one attention over the passage, which sums to 1.
    """
    pairs = passage.unsqueeze(2) & question.unsqueeze(1)
    over_passage = masked_softmax(products, pairs, dim=1)
    over_question = masked_softmax(products, pairs, dim=2)
    matters = over_question.sum(dim=1) / passage.sum(dim=1, keepdim=True)
    return Attentions(over_passage, over_question, (over_passage * matters.unsqueeze(1)).sum(dim=2))


class AttentionOverAttention(nn.Module):
    """Attention over attention (Cui et al. 2017), as HLTC puts it between an encoder and a reader's heads.

    Adds to each state what the question says to it, by β, and itself by how much it is attended to.
    """

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


def imbalance(gates: Tensor) -> Tensor:
    """The squared variation of how much each expert is used in a batch: variance by squared mean.

    0 where all are used alike, one less than their number where one is used alone (Shazeer et al. 2017, section 4).
    """
    used = gates.sum(dim=0)
    return used.var(unbiased=False) / used.mean().square()


class MixtureOfExperts(nn.Module):
    """A mixture of experts, after CLER: each state and what small networks make of it, mixed by a gate for each window.

    The gate looks at the window's first token.
    """

    def __init__(self, encoder: Any, table: Experts) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        hidden = table.width or width
        self.gate = nn.Linear(width, table.count)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
            for _ in range(table.count)
        )
        self.norm = nn.LayerNorm(width)
        # Those of the last batch, for the loss that keeps them even.
        self.gates = torch.empty(0)

    def forward(self, states: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The states, with what the experts add."""
        gates = torch.softmax(self.gate(states[:, :1]), dim=-1)
        self.gates = gates[:, 0]
        said = torch.stack([expert(states) for expert in self.experts], dim=-1)
        mixed: Tensor = self.norm(states + (said * gates.unsqueeze(2)).sum(dim=-1))
        return mixed


class BalanceCompanion:
    """Keeps the gate from always choosing the same expert."""

    def __init__(self, experts: MixtureOfExperts, weight: float) -> None:
        self._experts, self._weight = experts, weight

    def loss(self, reading: Reading) -> Tensor:
        """Of the gates with which the batch was read."""
        return self._weight * imbalance(self._experts.gates)

"""What a reader in training may have beyond encoder and heads: layers between the two, and companions.

Layers are two kinds of attention, and a mixture of experts. Companions are losses beside the reader's own, with heads
that only the training has. The adversarial one is after 42Maru: what the encoder says of a window must not tell which
data set it is of. The discriminator is trained on the first token's state to tell the set. The encoder is trained to
confuse it, in one of two ways. In the paper's, the divergence of the discriminator's distribution from the uniform one
is added to the reader's loss, and moves the encoder alone, while the discriminator's own loss moves the discriminator
alone. By gradient reversal (Ganin and Lempitsky 2015) both move by the discriminator's loss, the encoder upwards. The
paper alternates the two updates; here both are of one step, from the same states.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cross_entropy, log_softmax

from caveat.training.kinds.reader.recipe import Adversarial, Experts, ReaderRecipe
from caveat.training.kinds.reader.samples import Batch, Sample
from caveat.training.networks import head


class Reading(NamedTuple):
    """A batch, the step that it is of, and what the reader made of it: the states behind all its layers."""

    step: int
    samples: Sequence[Sample]
    batch: Batch
    states: Tensor


class Companion(Protocol):
    """A further loss; its head, if it has one, is one of the network's companions."""

    def loss(self, reading: Reading) -> Tensor:
        """What is added to the loss of the batch, weighted."""
        ...


class MaskedWordsHead(nn.Module):
    """Scores of all words for a state, by the encoder's own table of them."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        words, width = encoder.get_input_embeddings().weight.shape
        self.transform = nn.Sequential(
            nn.Linear(int(encoder.config.hidden_size), width), nn.GELU(), nn.LayerNorm(width)
        )
        self.bias = nn.Parameter(torch.zeros(words))

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        """States of any shape to as many rows of scores."""
        scores: Tensor = self.transform(states) @ table.T + self.bias
        return scores


class Discriminator(nn.Module):
    """Scores of the data sets for the state of a window's first token."""

    def __init__(self, encoder: Any, layers: int, sets: int) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        hidden = [part for _ in range(layers) for part in (nn.Linear(width, width), nn.GELU())]
        self.layers = nn.Sequential(*hidden, nn.Linear(width, sets))

    def forward(self, states: Tensor) -> Tensor:
        """Rows of states to rows of scores."""
        scores: Tensor = self.layers(states)
        return scores


class _Measured(nn.Module):
    """How useful each data set is, as last measured, and at which step; in checkpoints, since a run goes by it."""

    def __init__(self, sets: int) -> None:
        super().__init__()
        self.register_buffer("cosines", torch.zeros(sets))
        self.register_buffer("step", torch.tensor(-1))


def heads_beside(recipe: ReaderRecipe, encoder: Any) -> dict[str, nn.Module]:
    """The heads that the training by a recipe needs, by their names."""
    heads: dict[str, nn.Module] = {}
    if recipe.auxiliary and recipe.auxiliary.ranking:
        heads["ranking"] = head(encoder, 1)
    if recipe.auxiliary and recipe.auxiliary.inference:
        heads["inference"] = head(encoder, 3)
    if recipe.auxiliary and recipe.auxiliary.masked:
        heads["masked"] = MaskedWordsHead(encoder)
    if recipe.adversarial:
        heads["discriminator"] = Discriminator(encoder, recipe.adversarial.layers, len(recipe.data))
    if recipe.usefulness:
        heads["usefulness"] = _Measured(len(recipe.data))
    return heads


def divergence_from_uniform(scores: Tensor) -> Tensor:
    """The mean of KL(uniform ‖ softmax of a row); 0 where all scores of a row are equal."""
    return -math.log(scores.shape[-1]) - log_softmax(scores, dim=-1).mean(dim=-1).mean()


class _Reversal(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: float) -> Tensor:
        ctx.weight = weight
        return states.view_as(states)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return -ctx.weight * gradients[0], None


def reversed_gradient(states: Tensor, weight: float) -> Tensor:
    """The states themselves, whose gradient comes back reversed and times the weight."""
    found: Tensor = _Reversal.apply(states, weight)
    return found


class AdversarialCompanion:
    """The discriminator's loss and, by the same call, the encoder's for not confusing it."""

    def __init__(self, discriminator: nn.Module, table: Adversarial) -> None:
        self._discriminator, self._table = discriminator, table

    def loss(self, reading: Reading) -> Tensor:
        """Of the windows of the batch."""
        first = reading.states[:, 0]
        domains = torch.tensor([sample.domain for sample in reading.samples])
        if self._table.confusion == "reversal":
            told = self._discriminator(reversed_gradient(first, self._table.weight))
            return cross_entropy(told, domains)
        learnt = cross_entropy(self._discriminator(first.detach()), domains)
        fixed = {name: value.detach() for name, value in self._discriminator.named_parameters()}
        told = functional_call(self._discriminator, fixed, (first,))
        return learnt + self._table.weight * divergence_from_uniform(told)


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

"""Three steps of attention over the elements of a page, after DocHopper in ConditionalQA's paper.

Every element is encoded by itself; a layer of attention then lets them, and the question among them, know each other.
The query, at first the question, attends to the evidences, then to the element with the answer, then to its conditions,
and is made anew from what it found after each step.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from caveat.benchmarks.conditionalqa.format import ConditionalAnswer
from caveat.models.encoding import EncodedText, encode_question, encode_text
from caveat.models.judge import premise_of
from caveat.models.windows import Window, tokens_of
from caveat.training.kinds.conditional.data import (
    CARD,
    WHAT,
    ConditionalCard,
    ConditionalRecipe,
    Example,
    span_in,
)
from caveat.training.kinds.conditional.pipeline import KINDS
from caveat.training.networks import encoder_settings, head, load_network, new_network, save_network, states
from caveat.training.sampling import repeated

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["HopSample", "HopSampler", "Hops", "PageScores", "PageTexts", "load_hops", "new_hops", "save_hops"]

_NOTHING = np.zeros(0, dtype=np.int32)


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


class HopSample(NamedTuple):
    """A question, the elements of its page, and what is to be found in each step."""

    question: Window
    elements: tuple[Window, ...]
    kind: int
    evidences: tuple[int, ...] = ()
    # The elements that hold the answer; for yes and no the evidences that are no conditions.
    holding: tuple[int, ...] = ()
    conditions: tuple[int, ...] = ()
    # The answer's tokens in the first of the elements that hold it.
    span: tuple[int, int] | None = None

    @property
    def length(self) -> int:
        """Tokens of the question and all elements."""
        return self.question.length + sum(element.length for element in self.elements)


class PageTexts:
    """Questions and elements as windows of their own, cut to a size; what is tokenised once is kept.

    An element is read with what introduces it; only its own words, at the end, can be a span.
    """

    def __init__(self, tokenizer: Tokenizer, room: int, max_question_tokens: int) -> None:
        self._tokenizer, self._room, self._longest = tokenizer, room, max_question_tokens
        self._kept: dict[str, EncodedText] = {}

    def question(self, example: Example) -> Window:
        """The question with its scenario."""
        asked = premise_of(example.question.question, example.question.scenario) or "?"
        ids = encode_question(self._tokenizer, asked, min(self._longest, self._room))
        return Window(0, ids, EncodedText("", _NOTHING, _NOTHING, _NOTHING), 0, 0)

    def elements(self, example: Example) -> tuple[Window, ...]:
        """The elements of the page; of a longer one its end is read, where its own words stand."""
        windows = []
        for at in range(len(example.page.contents)):
            text = example.page.in_place(at)
            if text not in self._kept:
                self._kept[text] = encode_text(self._tokenizer, text)
            tokens = self._kept[text]
            windows.append(Window(0, _NOTHING, tokens, max(0, len(tokens) - self._room), len(tokens)))
        return tuple(windows)


class HopSampler:
    """The pages of one phase, from which epochs are drawn; the same seed gives the same epoch."""

    def __init__(self, sets: Sequence[tuple[Sequence[Example], float]], texts: PageTexts) -> None:
        self._sets, self._texts = sets, texts

    def epoch(self, seed: str) -> list[HopSample]:
        """The questions of an epoch, set after set, each with one of its answers."""
        draw = random.Random(seed)
        return [
            self._sample(example, draw)
            for examples, weight in self._sets
            for part in repeated(examples, weight, draw)
            for example in part
            if example.page.contents
        ]

    def _sample(self, example: Example, draw: random.Random) -> HopSample:
        question, elements = self._texts.question(example), self._texts.elements(example)
        if not example.question.answers:
            return HopSample(question, elements, KINDS.index("none"))
        answer = draw.choice(example.question.answers)
        conditions = example.elements(answer.conditions)
        evidences = tuple(sorted(example.evidences | conditions))
        kind, holding, span = _place(example, answer, conditions, elements)
        return HopSample(
            question, elements, KINDS.index(kind), evidences, holding, tuple(sorted(conditions)), span
        )


def _place(
    example: Example, answer: ConditionalAnswer, conditions: frozenset[int], elements: Sequence[Window]
) -> tuple[str, tuple[int, ...], tuple[int, int] | None]:
    """The kind of an answer, the elements that hold it, and its tokens in the first of them."""
    if answer.text in ("yes", "no"):
        return answer.text, tuple(sorted(example.evidences - conditions or example.evidences)), None
    for at in sorted(example.evidences):
        own = example.page.texts[at]
        if place := span_in(own, answer.text):
            window = elements[at]
            shift = len(window.text.text) - len(own)
            tokens = tokens_of(
                window.text.starts.tolist(), window.text.ends.tolist(), place[0] + shift, place[1] + shift
            )
            if tokens and window.first <= tokens[0]:
                return "span", (at,), tokens
    return "span", (), None

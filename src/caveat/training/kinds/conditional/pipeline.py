"""The pipeline, as ConditionalQA's paper has it with ETC: a section is read for its answer, then every element for
whether it is a condition of that answer.

The paper has an encoder for each stage; here the stages are heads of one, which is half as large.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from torch import Tensor, nn

from caveat.benchmarks.conditionalqa.format import ConditionalAnswer
from caveat.models.encoding import EncodedText, encode_question, encode_text
from caveat.models.judge import premise_of
from caveat.models.windows import Window, even_windows, tokens_of
from caveat.training.kinds.conditional.data import (
    CARD,
    WHAT,
    ConditionalCard,
    ConditionalRecipe,
    Example,
    span_in,
)
from caveat.training.networks import encoder_settings, head, load_network, new_network, save_network, states
from caveat.training.sampling import repeated

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = [
    "KINDS",
    "Pipeline",
    "PipelineSample",
    "PipelineSampler",
    "answered_premise",
    "load_pipeline",
    "new_pipeline",
    "save_pipeline",
]

# What a section says to a question.
KINDS = ("span", "yes", "no", "none")

# An answer may be long, and the question must have room behind it.
_ANSWER_WORDS = 16


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


def answered_premise(answer: str, question: str, scenario: str) -> str:
    """What a condition of an answer is judged by: the answer comes first, as a premise keeps its beginning."""
    return f"{' '.join(answer.split()[:_ANSWER_WORDS])}: {premise_of(question, scenario)}"


class PipelineSample(NamedTuple):
    """A section with the kind of its answer and a span's tokens (the first stage), or an element (the second)."""

    window: Window
    # A section's number in KINDS; -1 for an element.
    kind: int = -1
    span: tuple[int, int] | None = None
    # Whether an element is a condition.
    condition: bool = False

    @property
    def length(self) -> int:
        """Tokens of both texts."""
        return self.window.length


class PipelineSampler:
    """The samples of one phase, from which epochs are drawn; the same seed gives the same epoch."""

    def __init__(
        self,
        sets: Sequence[tuple[Sequence[Example], float]],
        tokenizer: Tokenizer,
        specials: int,
        *,
        window: int,
        stride: int,
        sections: int,
        elements: int,
        max_question_tokens: int,
        encoded: dict[str, EncodedText],
    ) -> None:
        """`sets` come with their weights; `encoded` keeps texts as tokens from one phase to the next."""
        self._sets, self._tokenizer = sets, tokenizer
        self._room, self._stride = window - specials, stride
        self._sections, self._elements = sections, elements
        self._longest, self._encoded = max_question_tokens, encoded

    def epoch(self, seed: str) -> list[PipelineSample]:
        """The samples of an epoch: of each question one answer, sections without it, and the elements of each."""
        draw = random.Random(seed)
        return [
            sample
            for examples, weight in self._sets
            for part in repeated(examples, weight, draw)
            for example in part
            for sample in (*self._first_stage(example, draw), *self._second_stage(example, draw))
        ]

    def _first_stage(self, example: Example, draw: random.Random) -> Iterator[PipelineSample]:
        question = example.question
        premise = premise_of(question.question, question.scenario)
        page = example.page
        holding = set()
        if question.answers:
            answer = draw.choice(question.answers)
            for number, (first, last) in enumerate(page.sections):
                if example.evidences & set(range(first, last)):
                    holding.add(number)
            if learnt := self._answering(example, answer, holding, draw):
                yield from learnt
        others = [number for number in range(len(page.sections)) if number not in holding]
        for number in draw.sample(others, min(len(others), self._sections)):
            if window := self._cut(premise, page.section_text(number), None, draw):
                yield PipelineSample(window, KINDS.index("none"))

    def _answering(
        self, example: Example, answer: ConditionalAnswer, holding: set[int], draw: random.Random
    ) -> list[PipelineSample]:
        """The section with most of the evidences that has the answer's words, or any words for yes and no."""
        premise = premise_of(example.question.question, example.question.scenario)
        page = example.page

        def evidences(number: int) -> int:
            first, last = page.sections[number]
            return len(example.evidences & set(range(first, last)))

        for number in sorted(holding, key=evidences, reverse=True):
            text = page.section_text(number)
            if answer.text in ("yes", "no"):
                window = self._cut(premise, text, None, draw)
                return [PipelineSample(window, KINDS.index(answer.text))] if window else []
            place = span_in(text, answer.text)
            tokens = self._tokens(text)
            span = tokens_of(tokens.starts.tolist(), tokens.ends.tolist(), *place) if place else None
            if span and (window := self._cut(premise, text, span, draw)):
                return [PipelineSample(window, KINDS.index("span"), span)]
        return []

    def _second_stage(self, example: Example, draw: random.Random) -> Iterator[PipelineSample]:
        """All conditions of one answer and some elements that are none, half of them evidences."""
        question = example.question
        if not question.answers:
            return
        answer = draw.choice(question.answers)
        premise = answered_premise(answer.text, question.question, question.scenario)
        wanted = example.elements(answer.conditions)
        near = sorted(example.evidences - wanted)
        far = [at for at in range(len(example.page.contents)) if at not in wanted and at not in near]
        drawn = draw.sample(near, min(len(near), self._elements // 2))
        drawn += draw.sample(far, min(len(far), self._elements - len(drawn)))
        for element in (*sorted(wanted), *drawn):
            if window := self._cut(premise, example.page.in_place(element), None, draw):
                yield PipelineSample(window, condition=element in wanted)

    def _cut(
        self, premise: str, text: str, span: tuple[int, int] | None, draw: random.Random
    ) -> Window | None:
        """The text, or one of its windows where it is too long for one: one that holds the span."""
        question = encode_question(self._tokenizer, premise, self._longest)
        tokens = self._tokens(text)
        if not len(question) or not len(tokens):
            return None
        cut = [
            (first, last)
            for first, last in even_windows(len(tokens), self._room - len(question), self._stride)
            if span is None or (first <= span[0] and span[1] <= last)
        ]
        if not cut:
            return None
        first, last = cut[0] if len(cut) == 1 else draw.choice(cut)
        return Window(0, question, tokens, first, last)

    def _tokens(self, text: str) -> EncodedText:
        if text not in self._encoded:
            self._encoded[text] = encode_text(self._tokenizer, text)
        return self._encoded[text]

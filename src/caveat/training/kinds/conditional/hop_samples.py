"""What the three steps learn from: a page's elements, which of them are evidences, hold the answer, are conditions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.benchmarks.conditionalqa.format import ConditionalAnswer
from caveat.models.encoding import EncodedText, encode_question, encode_text
from caveat.models.judge import premise_of
from caveat.models.windows import Window, tokens_of
from caveat.training.kinds.conditional.data import Example, span_in
from caveat.training.kinds.conditional.pipeline import KINDS
from caveat.training.kinds.reader.samples import repeated

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["HopSample", "HopSampler", "PageTexts"]

_NOTHING = np.zeros(0, dtype=np.int32)


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

"""The method that trains a pipeline, and its two stages at work: the best section wins, then elements are judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from caveat.benchmarks.conditionalqa.format import (
    ConditionalAnswer,
    ConditionalDocument,
    ConditionalPrediction,
    ConditionalQuestion,
)
from caveat.models.decoding import best_spans
from caveat.models.encoding import EncodedText, answer_characters
from caveat.models.judge import premise_of
from caveat.models.windowed_model import ReadRequest, Windowed
from caveat.models.windows import Window, collate
from caveat.training.cards import card_in_torch
from caveat.training.kinds.conditional.data import (
    ConditionalRecipe,
    Example,
    PageAnswers,
    examples_of,
    predictions_of,
)
from caveat.training.kinds.conditional.method import ConditionalMethod
from caveat.training.kinds.conditional.pipeline import (
    KINDS,
    Pipeline,
    PipelineSample,
    PipelineSampler,
    answered_premise,
    load_pipeline,
    new_pipeline,
    save_pipeline,
)
from caveat.training.method import begun
from caveat.training.networks import InTorch

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PipelineReader", "Pipelining", "predict_pipeline"]

# How many spans of a window are tried.
_SPANS = 5


class Pipelining(ConditionalMethod[PipelineSample]):
    """A pipeline, its sections and elements, and its measurement on whole pages."""

    def __init__(self, recipe: ConditionalRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        self.network, self._tokenizer = new_pipeline(recipe)
        self._layout, self._masking = begun(recipe, self.network, self._tokenizer)
        self._encoded: dict[str, EncodedText] = {}
        super().__init__(recipe, data_root, note)

    def loss(self, batch: Sequence[PipelineSample]) -> Tensor:
        """The mean of a section's kind, and of its span where it has one, and of an element's being a condition."""
        arrays = collate([sample.window for sample in batch], self._layout)
        ids, *others = map(torch.from_numpy, (arrays.input_ids, arrays.attention_mask, arrays.token_type_ids))
        kinds, starts, ends, conditions = self.network(self._masking(ids), *others)
        total = kinds.new_zeros(())
        low = torch.finfo(starts.dtype).min
        for row, (sample, begin) in enumerate(zip(batch, arrays.context, strict=True)):
            if sample.kind < 0:
                wanted = conditions.new_tensor(float(sample.condition))
                total = total + functional.binary_cross_entropy_with_logits(conditions[row], wanted)
                continue
            total = total + functional.cross_entropy(kinds[row], torch.tensor(sample.kind))
            if sample.span:
                context = torch.zeros(starts.shape[1], dtype=torch.bool)
                context[begin : begin + sample.window.last - sample.window.first] = True
                shift = begin - sample.window.first
                for scores, at in ((starts, sample.span[0]), (ends, sample.span[1] - 1)):
                    total = total + functional.cross_entropy(
                        scores[row].masked_fill(~context, low), torch.tensor(at + shift)
                    )
        return total / len(batch)

    def save(self, folder: Path, scores: dict[str, Any]) -> None:
        """Write the pipeline as it is, with its scores."""
        save_pipeline(folder, self.network, self._tokenizer, self._card(scores))

    def _found(self, examples: Sequence[Example]) -> list[PageAnswers]:
        return PipelineReader(self.network, self._tokenizer, self.recipe).found(examples)

    def _sampler(self, number: int) -> PipelineSampler:
        recipe, phase = self.recipe, self.recipe.phases[number]
        return PipelineSampler(
            [(of, data.weight) for of, data in zip(self._examples, recipe.data, strict=True)],
            self._tokenizer,
            self._layout.specials,
            window=phase.window,
            stride=phase.stride,
            sections=recipe.sections,
            elements=recipe.elements,
            max_question_tokens=recipe.max_question_tokens,
            encoded=self._encoded,
        )


class _WindowAnswer(NamedTuple):
    """What a window says: the log-odds of its best answer against none, and that answer; "" where it has no words."""

    score: float
    answer: str


class PipelineReader(Windowed):
    """A pipeline at work on pages."""

    def __init__(self, network: Pipeline, tokenizer: Tokenizer, recipe: ConditionalRecipe) -> None:
        card = card_in_torch(recipe, "pipeline", max_answer_tokens=recipe.max_answer_tokens)
        super().__init__(Path(), card, InTorch(network), tokenizer=tokenizer)

    def found(self, examples: Sequence[Example]) -> list[PageAnswers]:
        """For each question the answer of its best section, none where that says none, and every element's odds."""
        answers = self._first_stage(examples)
        requests = []
        for example, answer in zip(examples, answers, strict=True):
            if answer:
                question = example.question
                premise = answered_premise(answer, question.question, question.scenario)
                places = range(len(example.page.contents))
                requests += [ReadRequest(premise, example.page.in_place(at)) for at in places]
        scored = self._by_request(requests, lambda window, begin, rows: float(rows[3]))
        odds = (max((value for _, value in each), default=-np.inf) for each in scored)
        return [
            PageAnswers(
                (ConditionalAnswer(answer),),
                tuple(next(odds) for _ in example.page.contents),
            )
            if answer
            else PageAnswers()
            for example, answer in zip(examples, answers, strict=True)
        ]

    def _first_stage(self, examples: Sequence[Example]) -> list[str]:
        requests = [
            ReadRequest(
                premise_of(example.question.question, example.question.scenario),
                example.page.section_text(number),
            )
            for example in examples
            for number in range(len(example.page.sections))
        ]
        read = iter(self._by_request(requests, self._read))
        answers = []
        for example in examples:
            of_page = [window for _ in example.page.sections for _, window in next(read)]
            best = max(of_page, key=lambda window: window.score, default=_WindowAnswer(-np.inf, ""))
            answers.append(best.answer if best.score > 0 else "")
        return answers

    def _read(self, window: Window, begin: int, rows: Sequence[NDArray[np.float32]]) -> _WindowAnswer:
        kinds, starts, ends = rows[:3]
        context = slice(begin, begin + window.last - window.first)
        none = float(kinds[KINDS.index("none")])
        scores = {name: float(kinds[at]) - none for at, name in enumerate(KINDS) if name != "none"}
        best = max(scores, key=lambda name: scores[name])
        if best != "span":
            return _WindowAnswer(scores[best], best)
        for span in best_spans(starts[context], ends[context], self.card.max_answer_tokens, _SPANS):
            first, last = span.first + window.first, span.last + window.first
            start, end = answer_characters(window.text, first, last)
            text = window.text.text[start:end]
            # A span across the edge of an element is no answer.
            if text and "\n" not in text:
                return _WindowAnswer(scores[best], text)
        return _WindowAnswer(-np.inf, "")


def predict_pipeline(
    folder: Path, questions: Sequence[ConditionalQuestion], documents: Sequence[ConditionalDocument]
) -> list[ConditionalPrediction]:
    """The predictions of a pipeline that a run has saved, in the task's layout."""
    network, tokenizer, card = load_pipeline(folder)
    examples = examples_of(questions, documents)
    found = PipelineReader(network, tokenizer, card.recipe).found(examples)
    return predictions_of(examples, found, card.threshold)

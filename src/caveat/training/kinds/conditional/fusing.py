"""The method that trains fusion in the decoder, and the trained model at work on pages."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tokenizers import Tokenizer
from torch import Tensor

from caveat.benchmarks.conditionalqa.format import (
    ConditionalDocument,
    ConditionalPrediction,
    ConditionalQuestion,
)
from caveat.models.encoding import encode_question, encode_text
from caveat.models.judge import premise_of
from caveat.models.windows import even_windows
from caveat.training.kinds.conditional.data import Example, examples_of
from caveat.training.kinds.conditional.found import Found, predictions_of
from caveat.training.kinds.conditional.fusion import Fusion, load_fusion, new_fusion, save_fusion
from caveat.training.kinds.conditional.fusion_text import read_answers, written_answers
from caveat.training.kinds.conditional.method import ConditionalMethod
from caveat.training.kinds.conditional.recipe import ConditionalRecipe
from caveat.training.kinds.reader.samples import repeated
from caveat.training.start import begin_from, folders_of

__all__ = ["Fusing", "FusionSample", "predict_fusion"]

_QUESTION, _TEXT = "question:", "context:"


class FusionSample(NamedTuple):
    """A page's texts, each with the question, and what is to be written."""

    texts: tuple[tuple[int, ...], ...]
    target: tuple[int, ...]

    @property
    def length(self) -> int:
        """Tokens of all texts."""
        return sum(map(len, self.texts))


class Fusing(ConditionalMethod[FusionSample]):
    """A T5-like model, its pages, and its measurement on whole pages."""

    def __init__(self, recipe: ConditionalRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        self.network, self._tokenizer = new_fusion(recipe)
        if recipe.start:
            begin_from(self.network, *folders_of(recipe.start))
        super().__init__(recipe, data_root, note)

    def loss(self, batch: Sequence[FusionSample]) -> Tensor:
        """The mean loss of the pages; each has its own number of texts and goes through by itself."""
        losses = [
            self.network(*_tensors(sample.texts, self.network.pad), torch.tensor(sample.target))
            for sample in batch
        ]
        return torch.stack(losses).mean()

    def save(self, folder: Path, scores: dict[str, Any]) -> None:
        """Write the model as it is, with its scores."""
        save_fusion(folder, self.network, self._tokenizer, self._card(scores))

    def _found(self, examples: Sequence[Example]) -> list[Found]:
        return _written(self.network, self._tokenizer, self.recipe, examples)

    def _sampler(self, number: int) -> _Epochs:
        phase = self.recipe.phases[number]
        samples = [
            [
                FusionSample(
                    _texts(
                        example, self._tokenizer, self.network.end, self.recipe, phase.window, phase.stride
                    ),
                    self._target(example),
                )
                for example in of
                if example.page.sections
            ]
            for of in self._examples
        ]
        return _Epochs([(of, data.weight) for of, data in zip(samples, self.recipe.data, strict=True)])

    def _target(self, example: Example) -> tuple[int, ...]:
        text = written_answers(example.question.answers, example.page)
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return (*ids[: self.recipe.max_target_tokens], self.network.end)


class _Epochs:
    """The pages of one phase."""

    def __init__(self, sets: Sequence[tuple[list[FusionSample], float]]) -> None:
        self._sets = sets

    def epoch(self, seed: str) -> list[FusionSample]:
        """The pages of an epoch, set after set."""
        draw = random.Random(seed)
        return [
            sample
            for samples, weight in self._sets
            for part in repeated(samples, weight, draw)
            for sample in part
        ]


def predict_fusion(
    folder: Path, questions: Sequence[ConditionalQuestion], documents: Sequence[ConditionalDocument]
) -> list[ConditionalPrediction]:
    """The predictions of a model that a run has saved, in the task's layout."""
    network, tokenizer, card = load_fusion(folder)
    examples = examples_of(questions, documents)
    return predictions_of(examples, _written(network, tokenizer, card.recipe, examples), card.threshold)


def _written(
    network: Fusion, tokenizer: Tokenizer, recipe: ConditionalRecipe, examples: Sequence[Example]
) -> list[Found]:
    shape = recipe.tuning or max(recipe.phases, key=lambda phase: phase.window)
    was_training = network.training
    network.eval()
    found = []
    try:
        with torch.inference_mode():
            for example in examples:
                texts = _texts(example, tokenizer, network.end, recipe, shape.window, shape.stride)
                ids = network.write(*_tensors(texts, network.pad), recipe.max_target_tokens) if texts else []
                written = tokenizer.decode(ids, skip_special_tokens=True)
                found.append(Found(read_answers(written, example.page)))
    finally:
        network.train(was_training)
    return found


def _texts(
    example: Example, tokenizer: Tokenizer, end: int, recipe: ConditionalRecipe, window: int, stride: int
) -> tuple[tuple[int, ...], ...]:
    """The sections with the question before each, long ones in windows; of many those that are most like it."""
    asked = premise_of(example.question.question, example.question.scenario)
    question = encode_question(tokenizer, f"{_QUESTION} {asked}", recipe.max_question_tokens).tolist()
    before = [*question, *tokenizer.encode(_TEXT, add_special_tokens=False).ids]
    found: list[tuple[int, ...]] = []
    alike: list[int] = []
    for number in range(len(example.page.sections)):
        ids = encode_text(tokenizer, example.page.section_text(number)).ids.tolist()
        for first, last in even_windows(len(ids), max(1, window - len(before) - 1), stride):
            found.append((*before, *ids[first:last], end))
            alike.append(len(set(question) & set(ids[first:last])))
    best = sorted(range(len(found)), key=lambda at: -alike[at])[: recipe.most_sections]
    return tuple(found[at] for at in sorted(best))


def _tensors(texts: Sequence[Sequence[int]], pad: int) -> tuple[Tensor, Tensor]:
    longest = max(map(len, texts))
    ids = torch.tensor([[*text, *[pad] * (longest - len(text))] for text in texts])
    mask = torch.tensor([[1] * len(text) + [0] * (longest - len(text)) for text in texts])
    return ids, mask

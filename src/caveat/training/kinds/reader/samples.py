"""Training windows: cut from tokenised passages, drawn for an epoch, put into batches.

A window is a range of a passage's tokens, so that windows of another size for the next phase, or other windows
of the same questions for the next epoch, cost next to nothing.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec
import torch
from torch import Tensor

from caveat.models.encoding import PairLayout
from caveat.models.windows import windows
from caveat.training.kinds.reader.data import Corpus, EncodedPassage, EncodedQuestion
from caveat.training.kinds.reader.recipe import ReaderRecipe
from caveat.training.sampling import Schedule, repeated

__all__ = ["Batch", "Plan", "Sample", "Sampler", "collate"]

Target = Literal["first", "annotated"]


class Sample(msgspec.Struct, frozen=True):
    """One window: tokens `first:last` of a passage, and the answer's tokens in the passage; None for null."""

    passage: EncodedPassage
    question: array[int]
    first: int
    last: int
    answer: tuple[int, int] | None

    @property
    def length(self) -> int:
        """Tokens of question and context."""
        return len(self.question) + self.last - self.first


class _Choice(msgspec.Struct, frozen=True):
    """What a question offers: windows to learn its answer from, and windows without any part of the answer."""

    targets: tuple[Sample, ...]
    without: tuple[Sample, ...]


class Sampler:
    """The windows of one phase, from which epochs are drawn; the same seed gives the same epoch."""

    def __init__(
        self,
        corpora: Sequence[tuple[Corpus, float]],
        specials: int,
        *,
        window: int,
        stride: int,
        target: Target = "first",
        negatives: float = 0.0,
        per_question: int = 0,
    ) -> None:
        """`corpora` come with their weights; `specials` is the number of special tokens in a window.

        `negatives` is the share of windows without the answer, relative to those with a target; `per_question`
        is the number of windows that an epoch takes of each question, 0 for all.
        """
        self._negatives, self._per_question = negatives, per_question
        self._sets: list[tuple[list[_Choice], float]] = []
        self.too_long = 0
        for corpus, weight in corpora:
            choices = []
            for question in corpus.questions:
                room = window - specials - len(question.ids)
                choice = _choice(corpus.passages[question.passage], question, room, stride, target)
                if choice.targets:
                    choices.append(choice)
                else:
                    self.too_long += 1  # the answer fits into none of the windows
            self._sets.append((choices, weight))

    def epoch(self, seed: str) -> list[Sample]:
        """The windows of an epoch, set after set."""
        draw = random.Random(seed)
        drawn: list[Sample] = []
        for choices, weight in self._sets:
            for part in repeated(choices, weight, draw):
                drawn.extend(self._drawn(part, draw))
        return drawn

    def _drawn(self, choices: Sequence[_Choice], draw: random.Random) -> Iterator[Sample]:
        targets = 0
        without: list[Sample] = []
        for choice in choices:
            taken = choice.targets
            if 0 < self._per_question < len(taken):
                taken = tuple(draw.sample(taken, self._per_question))
            targets += len(taken)
            without.extend(choice.without)
            yield from taken
        yield from draw.sample(without, min(len(without), round(self._negatives * targets)))


def _choice(
    passage: EncodedPassage, question: EncodedQuestion, room: int, stride: int, target: Target
) -> _Choice:
    """A window that cuts the answer, or has it only at a place that is not the target, is of neither kind."""
    targets, without = [], []
    for first, last in windows(len(passage.ids), room, stride):
        whole = [place for place in question.places if first <= place[0] and place[1] <= last]
        if not question.places:
            targets.append(Sample(passage, question.ids, first, last, None))
        elif target == "first" and whole:
            targets.append(Sample(passage, question.ids, first, last, min(whole)))
        elif target == "annotated" and question.places[0] in whole:
            targets.append(Sample(passage, question.ids, first, last, question.places[0]))
        elif not any(place[0] < last and first < place[1] for place in question.places):
            without.append(Sample(passage, question.ids, first, last, None))
    return _Choice(tuple(targets), tuple(without))


class Batch(NamedTuple):
    """Inputs of a reader, the allowed positions (0 and the context), and the targets."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor
    allowed: Tensor
    starts: Tensor
    ends: Tensor


def collate(samples: Sequence[Sample], layout: PairLayout) -> Batch:
    """The samples of a batch as tensors."""
    longest = max(sample.length for sample in samples) + layout.specials
    ids, mask, types, allowed, starts, ends = [], [], [], [], [], []
    for sample in samples:
        question = [*layout.before, *sample.question, *layout.between]
        context = sample.passage.ids[sample.first : sample.last]
        begin = len(question)
        row = [*question, *context, *layout.after]
        padding = longest - len(row)
        ids.append(row + [layout.pad] * padding)
        mask.append([1] * len(row) + [0] * padding)
        types.append(
            [layout.question_type] * begin + [layout.context_type] * (len(row) - begin) + [0] * padding
        )
        allowed.append(
            [True]
            + [False] * (begin - 1)
            + [True] * len(context)
            + [False] * (longest - begin - len(context))
        )
        if sample.answer is None:
            starts.append(0)
            ends.append(0)
        else:
            starts.append(begin + sample.answer[0] - sample.first)
            ends.append(begin + sample.answer[1] - 1 - sample.first)
    return Batch(
        torch.tensor(ids),
        torch.tensor(mask),
        torch.tensor(types),
        torch.tensor(allowed),
        torch.tensor(starts),
        torch.tensor(ends),
    )


class Plan(Schedule[Sample]):
    """The phases of a recipe over tokenised data."""

    def __init__(self, recipe: ReaderRecipe, corpora: Sequence[Corpus], layout: PairLayout) -> None:
        self.recipe, self.layout = recipe, layout
        self._corpora = [(corpus, data.weight) for corpus, data in zip(corpora, recipe.data, strict=True)]
        super().__init__(recipe.seed, recipe.phases, self._sampler_of)

    def _sampler_of(self, number: int) -> Sampler:
        phase = self.recipe.phases[number]
        return Sampler(
            self._corpora,
            self.layout.specials,
            window=phase.window,
            stride=phase.stride,
            target=self.recipe.target,
            negatives=self.recipe.negatives,
            per_question=self.recipe.windows_per_question,
        )

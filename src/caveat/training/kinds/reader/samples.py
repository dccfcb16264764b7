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
from caveat.training.sampling import Schedule, batches, repeated

__all__ = ["Batch", "Plan", "Sample", "Sampler", "collate", "one_set_after_another"]

Target = Literal["first", "annotated"]


class Sample(msgspec.Struct, frozen=True):
    """One window: tokens `first:last` of a passage, and the answer's tokens in the passage; None for null.

    `domain` is the number of its data set in the recipe, `asked` the question's text where it is kept.
    """

    passage: EncodedPassage
    question: array[int]
    first: int
    last: int
    answer: tuple[int, int] | None
    domain: int = 0
    asked: str = ""

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
        for domain, (corpus, weight) in enumerate(corpora):
            choices = []
            for question in corpus.questions:
                room = window - specials - len(question.ids)
                passage = corpus.passages[question.passage]
                choice = _choice(passage, question, room, stride, target, domain)
                if choice.targets:
                    choices.append(choice)
                else:
                    self.too_long += 1  # the answer fits into none of the windows
            self._sets.append((choices, weight))

    def epoch(self, seed: str, factors: Sequence[float] = ()) -> list[Sample]:
        """The windows of an epoch, set after set; factors, where given, multiply the weights of the sets."""
        draw = random.Random(seed)
        drawn: list[Sample] = []
        for number, (choices, weight) in enumerate(self._sets):
            for part in repeated(choices, weight * factors[number] if factors else weight, draw):
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
    passage: EncodedPassage, question: EncodedQuestion, room: int, stride: int, target: Target, domain: int
) -> _Choice:
    """A window that cuts the answer, or has it only at a place that is not the target, is of neither kind."""
    targets, without = [], []

    def sample(first: int, last: int, answer: tuple[int, int] | None) -> Sample:
        return Sample(passage, question.ids, first, last, answer, domain, question.text)

    for first, last in windows(len(passage.ids), room, stride):
        whole = [place for place in question.places if first <= place[0] and place[1] <= last]
        if not question.places:
            targets.append(sample(first, last, None))
        elif target == "first" and whole:
            targets.append(sample(first, last, min(whole)))
        elif target == "annotated" and question.places[0] in whole:
            targets.append(sample(first, last, question.places[0]))
        elif not any(place[0] < last and first < place[1] for place in question.places):
            without.append(sample(first, last, None))
    return _Choice(tuple(targets), tuple(without))


class Batch(NamedTuple):
    """Inputs of a reader, the allowed positions (0 and the context), and the targets."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor
    allowed: Tensor
    starts: Tensor
    ends: Tensor


def collate(samples: Sequence[Sample], layout: PairLayout, *, no_answer: bool = True) -> Batch:
    """The samples of a batch as tensors; without `no_answer` the first position is not allowed."""
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
            [no_answer]
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


def one_set_after_another(samples: Sequence[Sample], size: int, seed: str) -> list[list[Sample]]:
    """Batches of the first data set, then of the second …, each of one set; within a set as `batches` has them."""
    by_set: dict[int, list[Sample]] = {}
    for sample in samples:
        by_set.setdefault(sample.domain, []).append(sample)
    return [batch for domain in sorted(by_set) for batch in batches(by_set[domain], size, f"{seed} {domain}")]


class Plan(Schedule[Sample]):
    """The phases of a recipe over tokenised data."""

    def __init__(self, recipe: ReaderRecipe, corpora: Sequence[Corpus], layout: PairLayout) -> None:
        self.recipe, self.layout = recipe, layout
        self._corpora = [
            (corpus, recipe.weight_of(data)) for corpus, data in zip(corpora, recipe.data, strict=True)
        ]
        in_turn = recipe.feeding is not None and recipe.feeding.order == "sets"
        super().__init__(
            recipe.seed, recipe.phases, self.sampler_of, one_set_after_another if in_turn else batches
        )

    def sampler_of(self, number: int) -> Sampler:
        """The windows of a phase."""
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

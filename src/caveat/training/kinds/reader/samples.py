"""Training windows: cut from tokenised passages, drawn for an epoch, put into batches.

A window is a range of a passage's tokens, so that windows of another size for the next phase, or other windows
of the same questions for the next epoch, cost next to nothing.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator, Sequence
from typing import Literal, Protocol, TypeVar

import msgspec

from caveat.models.windows import windows
from caveat.training.kinds.reader.corpus import Corpus, EncodedPassage, EncodedQuestion

__all__ = ["Sample", "Sampler", "Sized", "batches", "repeated"]

Target = Literal["first", "annotated"]


class Sized(Protocol):
    """Anything that takes up so many tokens of a batch."""

    @property
    def length(self) -> int:
        """Tokens of question and context."""
        ...


Item = TypeVar("Item")
Each = TypeVar("Each", bound=Sized)


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


def repeated(items: Sequence[Item], weight: float, draw: random.Random) -> Iterator[Sequence[Item]]:
    """The passes over a set that its weight asks for: all of it so many times, then a part that is drawn."""
    passes, rest = divmod(weight, 1.0)
    for _ in range(int(passes)):
        yield items
    if rest:
        yield draw.sample(items, round(rest * len(items)))


def batches(samples: Sequence[Each], size: int, seed: str) -> list[list[Each]]:
    """Shuffled batches of windows of about one length: data sets are mixed, and little is padded."""
    draw = random.Random(seed)
    mixed = list(samples)
    draw.shuffle(mixed)
    pool = 64 * size
    cut: list[list[Each]] = []
    for begin in range(0, len(mixed), pool):
        near = sorted(mixed[begin : begin + pool], key=lambda sample: sample.length)
        cut.extend(near[at : at + size] for at in range(0, len(near), size))
    draw.shuffle(cut)
    return cut

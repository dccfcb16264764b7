"""Training windows: cut from tokenised passages, drawn for an epoch, put into batches.

A window is a range of a passage's tokens, so that windows of another size for the next phase, or other windows
of the same questions for the next epoch, cost next to nothing.
"""

from __future__ import annotations

import math
import random
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, cycle, islice
from typing import Any, Literal, NamedTuple

import msgspec
import torch
from torch import Tensor, nn

from caveat.models.encoding import PairLayout
from caveat.models.windows import windows
from caveat.training.kinds.reader.data import Corpus, EncodedPassage
from caveat.training.kinds.reader.recipe import ReaderRecipe, Usefulness
from caveat.training.sampling import Schedule, batches, repeated

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


class _Windows(NamedTuple):
    """What a question offers: windows to learn its answer from, and windows without any part of the answer."""

    targets: list[Sample]
    without: list[Sample]


class _Set(NamedTuple):
    """The questions of a data set whose answer fits into a window, and how many windows each has without it."""

    corpus: Corpus
    domain: int
    weight: float
    questions: array[int]
    without: array[int]


class Sampler:
    """The windows of one phase, from which epochs are drawn; the same seed gives the same epoch.

    Windows are cut when they are drawn: what is held of a question between epochs is two numbers.
    """

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
        self._width, self._stride, self._target = window - specials, stride, target
        self._sets: list[_Set] = []
        self.too_long = 0
        for domain, (corpus, weight) in enumerate(corpora):
            held = _Set(corpus, domain, weight, array("l"), array("l"))
            for number in range(len(corpus.questions)):
                cut = self._cut(held, number)
                if cut.targets:
                    held.questions.append(number)
                    held.without.append(len(cut.without))
                else:
                    self.too_long += 1  # the answer fits into none of the windows
            self._sets.append(held)

    def epoch(self, seed: str, factors: Sequence[float] = ()) -> list[Sample]:
        """The windows of an epoch, set after set; factors, where given, multiply the weights of the sets."""
        draw = random.Random(seed)
        drawn: list[Sample] = []
        for each in self._sets:
            weight = each.weight * factors[each.domain] if factors else each.weight
            for part in repeated(range(len(each.questions)), weight, draw):
                drawn.extend(self._drawn(each, part, draw))
        return drawn

    def _drawn(self, held: _Set, places: Sequence[int], draw: random.Random) -> Iterator[Sample]:
        """The windows of the questions at those places of the set, then windows without an answer."""
        targets = 0
        for place in places:
            taken = self._cut(held, held.questions[place]).targets
            if 0 < self._per_question < len(taken):
                taken = draw.sample(taken, self._per_question)
            targets += len(taken)
            yield from taken
        ends = list(accumulate(held.without[place] for place in places))
        total = ends[-1] if ends else 0
        for chosen in draw.sample(range(total), min(total, round(self._negatives * targets))):
            at = bisect_right(ends, chosen)
            without = self._cut(held, held.questions[places[at]]).without
            yield without[chosen - ends[at]]

    def _cut(self, held: _Set, number: int) -> _Windows:
        """A window that cuts the answer, or has it only at a place that is not the target, is of neither kind."""
        question = held.corpus.questions[number]
        passage = held.corpus.passages[question.passage]
        cut = _Windows([], [])

        def sample(first: int, last: int, answer: tuple[int, int] | None) -> Sample:
            return Sample(passage, question.ids, first, last, answer, held.domain, question.text)

        for first, last in windows(len(passage.ids), self._width - len(question.ids), self._stride):
            whole = [place for place in question.places if first <= place[0] and place[1] <= last]
            if not question.places:
                cut.targets.append(sample(first, last, None))
            elif self._target == "first" and whole:
                cut.targets.append(sample(first, last, min(whole)))
            elif self._target == "annotated" and question.places[0] in whole:
                cut.targets.append(sample(first, last, question.places[0]))
            elif not any(place[0] < last and first < place[1] for place in question.places):
                cut.without.append(sample(first, last, None))
        return cut


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


# Sampling by measured usefulness: of the data sets that help most with target data more is drawn.
#
# How useful a set is, is measured on the way, every so many steps, on the reader as it then is: the cosine of the
# gradient of the loss on some of the set's windows with that on some of the target's. It is by how much a small step on
# the set's windows lowers the target's loss, against the best step of the same length. The cosines are averaged over
# measurements and kept in the checkpoint, so that a run which goes on draws what it would have drawn.

Loss = Callable[[Sequence[Sample]], Tensor]


def cosine(first: Sequence[Tensor], second: Sequence[Tensor]) -> float:
    """The cosine of two gradients, each of many tensors; 0 where one of them is 0."""
    product = sum(float((a * b).sum()) for a, b in zip(first, second, strict=True))
    lengths = [math.sqrt(sum(float(each.square().sum()) for each in of)) for of in (first, second)]
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def factors(cosines: Sequence[float], sizes: Sequence[float], sharpness: float) -> list[float]:
    """What the weights of the sets are multiplied by: exp(sharpness × cosine), such that as much is drawn of all."""
    raised = [math.exp(sharpness * each) for each in cosines]
    drawn = sum(size * each for size, each in zip(sizes, raised, strict=True))
    return [each * sum(sizes) / drawn for each in raised]


class UsefulnessMeter:
    """Measures the data sets against target windows, and remembers what it found in the network's own buffers."""

    def __init__(
        self, network: nn.Module, kept: Any, targets: Sequence[Sample], loss: Loss, table: Usefulness
    ) -> None:
        """`kept` has the buffers `cosines` and `step`."""
        self._network, self._kept, self._targets = network, kept, targets
        self._loss, self.table = loss, table

    def measure(self, step: int, sets: Sequence[Sequence[Sample]], seed: str) -> list[float]:
        """The cosines for the steps from `step` on, measured unless they already were."""
        if int(self._kept.step) != step:
            draw = random.Random(f"usefulness {seed} {step}")
            wanted = self._gradient(self._targets, draw)
            found = torch.tensor(
                [cosine(self._gradient(samples, draw), wanted) if samples else 0.0 for samples in sets]
            )
            first = int(self._kept.step) < 0
            memory = 0.0 if first else self.table.memory
            self._kept.cosines.mul_(memory).add_((1 - memory) * found)
            self._kept.step.fill_(step)
        cosines: list[float] = self._kept.cosines.tolist()
        return cosines

    def _gradient(self, samples: Sequence[Sample], draw: random.Random) -> list[Tensor]:
        """Of the loss on some of the samples, without dropout."""
        some = draw.sample(samples, min(len(samples), self.table.windows))
        parameters = [each for each in self._network.parameters() if each.requires_grad]
        was_training = self._network.training
        self._network.eval()
        try:
            found = torch.autograd.grad(self._loss(some), parameters, allow_unused=True)
        finally:
            self._network.train(was_training)
        return [
            torch.zeros_like(each) if grad is None else grad
            for each, grad in zip(parameters, found, strict=True)
        ]


def batches_by_usefulness(plan: Plan, meter: UsefulnessMeter, step: int) -> Iterator[list[Sample]]:
    """The batches of step `step` and all after it: stretches of `every` steps, each drawn by what was measured then."""
    recipe, every = plan.recipe, meter.table.every
    before = 0
    for number, phase in enumerate(recipe.phases):
        steps = plan.steps_of(number)
        if step >= before + steps:
            before += steps
            continue
        sampler = plan.sampler_of(number)
        an_epoch = sampler.epoch(f"{recipe.seed} {number} 0")
        sets: list[list[Sample]] = [[] for _ in recipe.data]
        for sample in an_epoch:
            sets[sample.domain].append(sample)
        part = every * phase.batch_size / len(an_epoch)
        while step < before + steps:
            begin = step - (step - before) % every
            cosines = meter.measure(begin, sets, str(recipe.seed))
            drawn = _drawn(sampler, sets, cosines, part, meter.table.sharpness, f"{recipe.seed} {begin}")
            cut = batches(drawn, phase.batch_size, f"{recipe.seed} {begin}")
            end = min(begin + every, before + steps)
            for batch in islice(cycle(cut), step - begin, end - begin):
                yield batch
                step += 1
        before += steps


def _drawn(
    sampler: Sampler,
    sets: Sequence[Sequence[Sample]],
    cosines: Sequence[float],
    part: float,
    sharpness: float,
    seed: str,
) -> list[Sample]:
    """Windows of about `part` of an epoch, of each set by its usefulness."""
    by_set = factors(cosines, [len(each) for each in sets], sharpness)
    # A part that rounds to nothing everywhere would leave the stretch without a batch.
    return sampler.epoch(seed, [part * each for each in by_set]) or sampler.epoch(seed)

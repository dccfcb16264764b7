"""Training windows of examples: cut around what decides, or beside it, drawn for an epoch, put into batches."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import torch
from tokenizers import Tokenizer
from torch import Tensor

from caveat.models.encoding import PairLayout
from caveat.models.windows import even_windows, tokens_of
from caveat.training.kinds.joint.examples import VERDICTS, Example, as_typed
from caveat.training.kinds.reader.data import EncodedPassage, encode_passages
from caveat.training.sampling import repeated

# The label of examples of which it is only known that yes is wrong.
ANY_BUT_YES = len(VERDICTS)
_YES, _NO, _NONE = (VERDICTS.index(name) for name in ("yes", "no", "none"))
# Of the windows of a text that does not answer, one of so many that share most with the question is drawn.
_NEAREST = 3

Ranges = tuple[tuple[int, int], ...]


class EncodedExample(msgspec.Struct, frozen=True):
    """An example whose text is tokenised, with token ranges; the question stays a text, to be typed anew."""

    question: str
    text: EncodedPassage
    label: int
    answers: Ranges
    evidence: Ranges | None
    conditions: Ranges | None = None


class JointWindow(NamedTuple):
    """Tokens `first:last` of an example's text with its question; `answered` where they have what decides."""

    example: EncodedExample
    question: array[int]
    first: int
    last: int
    answered: bool

    @property
    def length(self) -> int:
        """Tokens of question and text."""
        return len(self.question) + self.last - self.first

    @property
    def label(self) -> int:
        """The verdict on the window."""
        return self.example.label if self.answered else _NONE


def encode_examples(
    examples: Sequence[Example], tokenizer: Tokenizer
) -> tuple[list[EncodedExample], dict[str, int]]:
    """Examples as tokens, each text once, and how many are left out because a tokenizer drops their answer."""
    texts = list(dict.fromkeys(example.text for example in examples))
    encoded = dict(zip(texts, encode_passages(tokenizer, texts), strict=True))
    kept: list[EncodedExample] = []
    for example in examples:
        text = encoded[example.text]
        answers = _ranges(text, example.answers)
        if text.ids and example.question.strip() and len(answers) == len(example.answers):
            evidence = None if example.evidence is None else _ranges(text, example.evidence)
            label = ANY_BUT_YES if example.verdict is None else VERDICTS.index(example.verdict)
            open_ = None if example.conditions is None else _ranges(text, example.conditions)
            kept.append(EncodedExample(example.question, text, label, answers, evidence, open_))
    lost = len(examples) - len(kept)
    return kept, {"without tokens": lost} if lost else {}


def _ranges(text: EncodedPassage, places: Sequence[tuple[int, int]]) -> Ranges:
    found = (tokens_of(text.starts, text.ends, start, end) for start, end in places)
    return tuple(place for place in found if place)


class JointEpochs:
    """The windows of one phase; the same seed gives the same epoch."""

    def __init__(
        self,
        sets: Sequence[tuple[Sequence[EncodedExample], float]],
        tokenizer: Tokenizer,
        *,
        room: int,
        stride: int,
        max_question_tokens: int,
        negatives: float,
        typed: float,
    ) -> None:
        """`sets` come with their weights; `room` is what a window has beside special tokens."""
        self._sets, self._tokenizer = sets, tokenizer
        self._room, self._stride, self._longest = room, stride, max_question_tokens
        self._negatives, self._typed = negatives, typed

    def epoch(self, seed: str) -> list[JointWindow]:
        """The windows of an epoch, set after set."""
        draw = random.Random(seed)
        return [
            window
            for examples, weight in self._sets
            for part in repeated(examples, weight, draw)
            for example in part
            for window in self._cut(example, draw)
        ]

    def _cut(self, example: EncodedExample, draw: random.Random) -> Iterator[JointWindow]:
        question = as_typed(example.question, draw) if draw.random() < self._typed else example.question
        ids = array("i", self._tokenizer.encode(question, add_special_tokens=False).ids[: self._longest])
        size, length = self._room - len(ids), len(example.text.ids)
        decides = example.answers or example.evidence or ()
        if length <= size:
            yield JointWindow(example, ids, 0, length, True)
            return
        if decides:
            first = _around(decides, size, length, draw)
            yield JointWindow(example, ids, first, first + size, _has(first, first + size, decides))
        else:
            near = self._nearest(ids, example.text, size)
            first, last = (
                draw.choice(near) if example.label == _NONE else draw.choice(self._all(length, size))
            )
            yield JointWindow(example, ids, first, last, True)
        if decides and draw.random() < self._negatives:
            every = (*example.answers, *(example.evidence or ()))
            beside = [
                (first, last)
                for first, last in self._nearest(ids, example.text, size, most=2 * _NEAREST)
                if not any(start < last and first < end for start, end in every)
            ]
            if beside:
                yield JointWindow(example, ids, *draw.choice(beside), False)

    def _all(self, length: int, size: int) -> list[tuple[int, int]]:
        return even_windows(length, size, min(self._stride, size))

    def _nearest(
        self, question: array[int], text: EncodedPassage, size: int, most: int = _NEAREST
    ) -> list[tuple[int, int]]:
        """The windows that share most of the question's tokens, those that are rare in the text before others."""
        counts = Counter(text.ids)
        weights = {token: 1.0 / counts[token] ** 0.5 for token in set(question) if token in counts}

        def shared(window: tuple[int, int]) -> float:
            return sum(weights.get(token, 0.0) for token in set(text.ids[window[0] : window[1]]))

        return sorted(self._all(len(text.ids), size), key=shared, reverse=True)[:most]


def _around(decides: Ranges, size: int, length: int, draw: random.Random) -> int:
    """Where a window begins that has all of what decides or, where that is too much, its first part."""
    start = min(begin for begin, _ in decides)
    end = min(max(end for _, end in decides), start + size)
    lowest, highest = max(0, end - size), min(start, length - size)
    return draw.randint(min(lowest, highest), highest)


def _has(first: int, last: int, decides: Ranges) -> bool:
    return any(first <= start and end <= last for start, end in decides)


class Batch(NamedTuple):
    """Inputs, the positions of the text, and the targets; those of tokens count where `known` says so."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor
    allowed: Tensor
    starts: Tensor
    ends: Tensor
    labels: Tensor
    evidence: Tensor
    answers: Tensor
    conditions: Tensor
    evidence_known: Tensor
    answers_known: Tensor
    conditions_known: Tensor


def collate(windows: Sequence[JointWindow], layout: PairLayout) -> Batch:
    """The windows of a batch as tensors."""
    longest = max(window.length for window in windows) + layout.specials
    shape = len(windows), longest
    ids = torch.full(shape, layout.pad)
    mask, types = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
    allowed = torch.zeros(shape, dtype=torch.bool)
    evidence, answers, conditions = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape)
    starts, ends = torch.zeros(len(windows), dtype=torch.long), torch.zeros(len(windows), dtype=torch.long)
    for row, window in enumerate(windows):
        example = window.example
        before = [*layout.before, *window.question, *layout.between]
        all_ids = [*before, *example.text.ids[window.first : window.last], *layout.after]
        begin, width = len(before), window.last - window.first
        ids[row, : len(all_ids)] = torch.tensor(all_ids)
        mask[row, : len(all_ids)] = 1
        types[row, :begin] = layout.question_type
        types[row, begin : len(all_ids)] = layout.context_type
        allowed[row, begin : begin + width] = True
        if not window.answered:
            continue
        _mark(evidence[row], example.evidence or (), window, begin)
        _mark(conditions[row], example.conditions or (), window, begin)
        inside = _mark(answers[row], example.answers, window, begin)
        if len(example.answers) == 1 and inside:
            starts[row], ends[row] = inside[0][0], inside[0][1] - 1
    labels = torch.tensor([window.label for window in windows])
    return Batch(
        ids,
        mask,
        types,
        allowed,
        starts,
        ends,
        labels,
        evidence,
        answers,
        conditions,
        torch.tensor([window.example.evidence is not None for window in windows]),
        torch.tensor([window.label not in (ANY_BUT_YES, _YES, _NO) for window in windows]),
        torch.tensor([window.example.conditions is not None for window in windows]),
    )


def _mark(row: Tensor, ranges: Ranges, window: JointWindow, begin: int) -> list[tuple[int, int]]:
    """Set the tokens of the ranges to 1; the ranges that are whole in the window, as positions."""
    whole = []
    for start, end in ranges:
        first, last = max(start, window.first), min(end, window.last)
        if first < last:
            place = begin + first - window.first, begin + last - window.first
            row[place[0] : place[1]] = 1
            if (first, last) == (start, end):
                whole.append(place)
    return whole

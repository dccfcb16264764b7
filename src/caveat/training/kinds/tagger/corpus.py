"""Texts with typed spans as tokens with labels, and the windows that an epoch takes of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from caveat.models.encoding import EncodedText, encode_question, encode_text
from caveat.models.tagger import Layers
from caveat.models.windows import Window, even_windows, tokens_of
from caveat.training.kinds.reader.samples import repeated
from caveat.training.kinds.reader.span_data import Marked

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

__all__ = ["Labels", "TagCorpus", "TagQuestion", "TagSample", "TagSampler", "encode_marked", "labels_of"]

# For each layer a text's columns (0 is O), or None where the data does not say.
Labels = tuple["NDArray[np.int64] | None", ...]


class TagQuestion(NamedTuple):
    """A question and its text as tokens, and the labels of the whole text."""

    question: NDArray[np.int32]
    text: EncodedText
    labels: Labels


class TagCorpus(msgspec.Struct, frozen=True):
    """A tokenised data set; `left_out` counts questions and spans that are not learnt, by reason."""

    questions: tuple[TagQuestion, ...]
    left_out: dict[str, int]


class TagSample(NamedTuple):
    """A window and the labels of its text, which are a matter of the text and not of where it is cut."""

    window: Window
    labels: Labels

    @property
    def length(self) -> int:
        """Tokens of question and context."""
        return self.window.length


def encode_marked(
    marked: Sequence[Marked],
    tokenizer: Tokenizer,
    layers: Layers,
    kinds: Sequence[str],
    *,
    left_out: Counter[str],
    cap: int,
    seed: int,
    max_question_tokens: int,
) -> TagCorpus:
    """At most `cap` of the questions, drawn by the seed, as tokens; `kinds` are those that the data set marks."""
    if len(marked) > cap:
        left_out["over the cap"] += len(marked) - cap
        marked = [
            marked[index] for index in sorted(random.Random(f"cap {seed}").sample(range(len(marked)), cap))
        ]
    texts: dict[str, EncodedText] = {}
    questions = []
    for each in marked:
        if each.text not in texts:
            texts[each.text] = encode_text(tokenizer, each.text)
        text = texts[each.text]
        question = encode_question(tokenizer, each.question, max_question_tokens)
        if not len(text) or not len(question):
            left_out["empty"] += 1
            continue
        questions.append(TagQuestion(question, text, labels_of(each, text, layers, kinds, left_out)))
    return TagCorpus(tuple(questions), {reason: count for reason, count in left_out.items() if count})


def labels_of(
    marked: Marked, text: EncodedText, layers: Layers, kinds: Sequence[str], left_out: Counter[str]
) -> Labels:
    """The column of every token in every layer that has one of the kinds.

    Where two spans of one layer overlap, the longer is learnt, as flat taggers of nested names do it: in CMQA's
    merged layer that keeps nearly all conditions (1,938 of 1,944), which fine answers stand in, and loses 427 of the
    12,992 spans; keeping the shorter would lose a fifth of the conditions.
    """
    starts, ends = text.starts.tolist(), text.ends.tolist()
    labels: list[NDArray[np.int64] | None] = []
    for layer in layers:
        if not set(layer) & set(kinds):
            labels.append(None)
            continue
        columns = np.zeros(len(text), dtype=np.int64)
        mine = sorted((start - end, start, kind) for kind, start, end in marked.spans if kind in layer)
        for negative, start, kind in mine:
            tokens = tokens_of(starts, ends, start, start - negative)
            if tokens is None:  # all its characters are such as the tokenizer drops
                left_out["spans without a token"] += 1
            elif columns[tokens[0] : tokens[1]].any():
                left_out["spans inside others"] += 1
            else:
                begin = 1 + 2 * layer.index(kind)
                columns[tokens[0] : tokens[1]] = begin + 1
                columns[tokens[0]] = begin
        labels.append(columns)
    return tuple(labels)


class TagSampler:
    """The windows of one phase, from which epochs are drawn; the same seed gives the same epoch."""

    def __init__(
        self, corpora: Sequence[tuple[TagCorpus, float]], specials: int, *, window: int, stride: int
    ) -> None:
        """`corpora` come with their weights; `specials` is the number of special tokens in a window."""
        self._sets = [
            ([_samples(question, window - specials, stride) for question in corpus.questions], weight)
            for corpus, weight in corpora
        ]

    def epoch(self, seed: str) -> list[TagSample]:
        """The windows of an epoch, set after set: all of every question that is drawn."""
        draw = random.Random(seed)
        return [
            sample
            for questions, weight in self._sets
            for part in repeated(questions, weight, draw)
            for samples in part
            for sample in samples
        ]


def _samples(question: TagQuestion, room: int, stride: int) -> list[TagSample]:
    return [
        TagSample(Window(0, question.question, question.text, first, last), question.labels)
        for first, last in even_windows(len(question.text), room - len(question.question), stride)
    ]

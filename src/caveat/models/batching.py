"""Windows of many questions on many texts, in batches of about one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.models.encoding import EncodedText
from caveat.models.pairs import PairLayout

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Batch", "Window", "batches", "collate"]

# A batch of this many tokens keeps two to sixteen cores busy; a larger one needs memory and gains nothing.
BATCH_TOKENS = 4096
# At most this share of a batch is padding.
PADDING = 0.1
# The same for a batch that one thread reads beside others: long windows alone, which need no mask, short ones together.
TOKENS_OF_ONE, PADDING_OF_ONE = 256, 0.05


class Window(NamedTuple):
    """Tokens `first:last` of a text, to be read for a question; `request` is the number it was asked under.

    `behind` is how far its worth, by what it shares with the question, is behind the best window's.
    """

    request: int
    question: NDArray[np.int32]
    text: EncodedText
    first: int
    last: int
    behind: float = 0.0

    @property
    def length(self) -> int:
        """Tokens of question and context."""
        return len(self.question) + self.last - self.first


class Batch(NamedTuple):
    """What the graph is fed, [batch, length], and where each row's context begins."""

    input_ids: NDArray[np.int64]
    attention_mask: NDArray[np.int64]
    token_type_ids: NDArray[np.int64]
    context: list[int]


def batches(
    lengths: Sequence[int], *, tokens: int = BATCH_TOKENS, padding: float = PADDING
) -> list[list[int]]:
    """The indices of `lengths` in batches, longest first: at most `tokens` tokens and that share of padding each."""
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    cut: list[list[int]] = []
    longest = used = 0
    for index in order:
        length = lengths[index]
        if cut:
            padded = longest * (len(cut[-1]) + 1)
            if padded <= tokens and padded - used - length <= padding * padded:
                cut[-1].append(index)
                used += length
                continue
        cut.append([index])
        longest, used = max(length, 1), length
    return cut


def collate(windows: Sequence[Window], layout: PairLayout) -> Batch:
    """Windows as arrays, padded to the longest of them."""
    shape = len(windows), max(window.length for window in windows) + layout.specials
    ids = np.full(shape, layout.pad, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    types = np.zeros(shape, dtype=np.int64)
    context = []
    for row, window in enumerate(windows):
        question = len(layout.before)
        between = question + len(window.question)
        begin = between + len(layout.between)
        after = begin + window.last - window.first
        end = after + len(layout.after)
        ids[row, :question] = layout.before
        ids[row, question:between] = window.question
        ids[row, between:begin] = layout.between
        ids[row, begin:after] = window.text.ids[window.first : window.last]
        ids[row, after:end] = layout.after
        mask[row, :end] = 1
        types[row, :begin] = layout.question_type
        types[row, begin:end] = layout.context_type
        context.append(begin)
    return Batch(ids, mask, types, context)

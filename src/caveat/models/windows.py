"""Windows over the tokens of a text, in batches of one length, and the way between tokens and characters.

A token is known by its offsets: half-open, into the text as it was given. They rise from token to token, but
tokens may touch, leave gaps (blanks) or share characters (one ligature that became two tokens).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.models.encoding import EncodedText, PairLayout

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A batch of this many tokens keeps two to sixteen cores busy; a larger one needs memory and gains nothing.
BATCH_TOKENS = 4096
# The share of a batch that may be padding: none, so that what is found in a window is the same whatever is read beside
# it, in any number of threads, processes and machines. It costs nothing: a batch without a mask is read faster.
PADDING = 0.0
# Tokens of a batch that one thread reads beside others: long windows alone, short ones together.
TOKENS_OF_ONE = 256


def windows(length: int, size: int, stride: int) -> list[tuple[int, int]]:
    """Half-open ranges of at most `size` tokens that cover `length` tokens, each `stride` after the last.

    `stride` is how far a window moves, as in BERT's and MRQA's scripts (not the overlap); one longer than the
    window would leave tokens out and counts as the window's size. A text without tokens has one empty window.
    """
    if size < 1 or stride < 1:
        raise ValueError(
            f"a window needs at least one token and a stride of at least one, got {size} and {stride}"
        )
    stride = min(stride, size)
    found = [(0, min(size, length))]
    while found[-1][1] < length:
        first = found[-1][0] + stride
        found.append((first, min(first + size, length)))
    return found


def even_windows(length: int, size: int, stride: int) -> list[tuple[int, int]]:
    """As many windows as `windows` has, with the same overlap, but all of about one length, none above `size`.

    A text that is a little longer than a window becomes two of half its length instead of a full one and a stub
    that repeats most of it: fewer tokens to read, and no answer in a window's last corner.
    """
    plain = windows(length, size, stride)
    overlap = size - min(stride, size)
    even = -(-(length + (len(plain) - 1) * overlap) // len(plain))
    return windows(length, even, even - overlap) if len(plain) > 1 else plain


def tokens_of(starts: Sequence[int], ends: Sequence[int], start: int, end: int) -> tuple[int, int] | None:
    """The half-open range of tokens that have a character of `start:end`; None where there is none."""
    first = bisect_right(ends, start)
    last = bisect_left(starts, end)
    return (first, last) if first < last else None


def characters_of(starts: Sequence[int], ends: Sequence[int], first: int, last: int) -> tuple[int, int]:
    """The half-open range of characters from token `first` up to, not including, token `last`."""
    if first >= last:
        return starts[first], starts[first]
    return starts[first], ends[last - 1]


def parts_of(
    starts: NDArray[np.int32], ends: NDArray[np.int32], parts: Sequence[tuple[int, int]]
) -> NDArray[np.int32]:
    """For each token the number of the part, a half-open span of characters, that has all of it; -1 where none has."""
    if not parts:
        return np.full(len(starts), -1, dtype=np.int32)
    begin, end = np.array(parts, dtype=np.int64).T
    found = np.searchsorted(begin, starts, side="right") - 1
    inside = (found >= 0) & (ends <= end[found])
    return np.where(inside, found, -1).astype(np.int32)


class Window(NamedTuple):
    """Tokens `first:last` of a text, to be read for a question; `request` is the number it was asked under.

    `behind` is how far its worth, by what it shares with the question, is behind the best window's. `parts` are those
    of all of the text's tokens (see `parts_of`), where an answer has to stay in one.
    """

    request: int
    question: NDArray[np.int32]
    text: EncodedText
    first: int
    last: int
    behind: float = 0.0
    parts: NDArray[np.int32] | None = None

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
    """Windows as arrays, padded to the longest of them: behind or, where the last token is the pair's, before."""
    shape = len(windows), max(window.length for window in windows) + layout.specials
    ids = np.full(shape, layout.pad, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    types = np.zeros(shape, dtype=np.int64)
    context = []
    for row, window in enumerate(windows):
        question, text = window.question, window.text.ids[window.first : window.last]
        parts = (text, question) if layout.context_first else (question, text)
        begin = 0 if layout.whole == 0 else shape[1] - window.length - layout.specials
        first = begin + len(layout.before)
        between = first + len(parts[0])
        second = between + len(layout.between)
        after = second + len(parts[1])
        end = after + len(layout.after)
        ids[row, begin:first] = layout.before
        ids[row, first:between] = parts[0]
        ids[row, between:second] = layout.between
        ids[row, second:after] = parts[1]
        ids[row, after:end] = layout.after
        mask[row, begin:end] = 1
        types[row, begin:second] = layout.context_type if layout.context_first else layout.question_type
        types[row, second:end] = layout.question_type if layout.context_first else layout.context_type
        if layout.last_type is not None:
            types[row, end - 1] = layout.last_type
        context.append(first if layout.context_first else second)
    return Batch(ids, mask, types, context)

"""Windows over the tokens of a text, and the way between tokens and characters.

A token is known by its offsets: half-open, into the text as it was given. They rise from token to token, but
tokens may touch, leave gaps (blanks) or share characters (one ligature that became two tokens).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

__all__ = ["characters_of", "even_windows", "tokens_of", "windows"]


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

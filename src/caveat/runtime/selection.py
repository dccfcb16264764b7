"""Which windows of a long text are worth reading: those that share most with the question.

Reading is the dear part, about a tenth of a second a window on two cores; counting a question's tokens in a million
others takes milliseconds. A window is judged as BM25 judges a document, by the tokens of the question and by pairs of
neighbouring ones, which tell far more where tokens are single characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_WINDOWS", "most_alike"]

# A text with no more windows than this is read from end to end; of a longer one so many are read.
MOST_WINDOWS = 128
# BM25's k: how fast another occurrence in the same window stops to count.
_SATURATION = 1.2


def most_alike(
    question: NDArray[np.int32], text: NDArray[np.int32], windows: Sequence[tuple[int, int]], most: int
) -> list[tuple[int, int]]:
    """The `most` windows (half-open ranges of `text`) that share most with the question, in the text's order.

    Those of equal worth are taken in the text's order. All windows where there are no more than `most`.
    """
    if len(windows) <= most:
        return list(windows)
    bounds = np.array(windows)
    worth = np.zeros(len(windows))
    for positions, length in _places(question, text):
        # A pair lies in a window with both of its tokens.
        counts = np.searchsorted(positions, bounds[:, 1] - (length - 1)) - np.searchsorted(
            positions, bounds[:, 0]
        )
        counts = np.maximum(counts, 0)
        holding = np.count_nonzero(counts)
        rarity = np.log1p((len(windows) - holding + 0.5) / (holding + 0.5))
        worth += rarity * counts / (counts + _SATURATION)
    best = np.sort(np.argsort(-worth, kind="stable")[:most])
    return [windows[index] for index in best.tolist()]


def _places(question: NDArray[np.int32], text: NDArray[np.int32]) -> Iterable[tuple[NDArray[np.intp], int]]:
    """Where each token of the question, and each pair of neighbours, begins in the text; and how long it is."""
    tokens = question.tolist()
    where = {token: np.flatnonzero(text == token) for token in dict.fromkeys(tokens)}
    for positions in where.values():
        yield positions, 1
    for first, second in dict.fromkeys(pairwise(tokens)):
        yield np.intersect1d(where[first], where[second] - 1, assume_unique=True), 2

"""Which windows of long texts are worth reading, and how much: those that share most with the question.

Reading is the dear part, about a twentieth of a second a window on two cores; counting a question's tokens in a million
others takes milliseconds. A window is judged as BM25 judges a document, by the tokens of the question and by pairs of
neighbouring ones, which tell far more where tokens are single characters; how rare they are is counted over the windows
of all texts that are asked together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.language.bm25 import idf, saturated

if TYPE_CHECKING:
    from numpy.typing import NDArray

# In log-odds of a span: what its window's being behind the best by one in worth tells against it.
BEHIND = 0.3


class Limit(NamedTuple):
    """How many windows are read of those that there are: a share of them, and none that is far behind the best.

    Chosen on articles and on passages put together (docs/benchmarks.md): to read more is slower, and no better.
    """

    # The best ones are read, however far they are behind each other.
    least: int = 2
    # What a share of few windows is at the least, and of many at the most.
    few: int = 4
    share: float = 1 / 3
    most: int = 16
    # In worth, behind the best; None reads them wherever they are.
    margin: float | None = 4.0

    def of(self, behind: Sequence[float]) -> int:
        """The number to be read of windows, given how far each is behind the best, in that order."""
        number = min(max(self.few, self.least, ceil(len(behind) * self.share)), self.most)
        if self.margin is None:
            return number
        near = bisect_right(behind, self.margin)
        return min(max(near, self.least), number)


class Chosen(NamedTuple):
    """A window to be read, tokens `first:last` of its text, and how far its worth is behind the best one's."""

    first: int
    last: int
    behind: float = 0.0


def choose(
    question: NDArray[np.int32],
    texts: Sequence[tuple[NDArray[np.int32], Sequence[tuple[int, int]]]],
    limit: Limit | None = None,
) -> list[list[Chosen]]:
    """Of several texts, each with its windows (half-open ranges of its tokens), those that are worth most.

    All without a limit. They are given text by text, in each text's order; those of equal worth are chosen in that
    order too.
    """
    worths = worth(question, texts)
    behind = (worths.max(initial=0.0) - worths).tolist()
    kept = np.ones(len(worths), dtype=np.bool_)
    if limit is not None:
        order = np.argsort(-worths, kind="stable")
        kept[order[limit.of([behind[place] for place in order]) :]] = False
    chosen: list[list[Chosen]] = []
    at = 0
    for _, windows in texts:
        places = range(at, at + len(windows))
        chosen.append(
            [
                Chosen(*window, behind[place])
                for place, window in zip(places, windows, strict=True)
                if kept[place]
            ]
        )
        at += len(windows)
    return chosen


def worth(
    question: NDArray[np.int32], texts: Sequence[tuple[NDArray[np.int32], Sequence[tuple[int, int]]]]
) -> NDArray[np.float64]:
    """What each window of all the texts has of the question."""
    total = sum(len(windows) for _, windows in texts)
    if total < 2:
        return np.zeros(total)
    # [tokens and pairs of the question, windows]
    counts = np.concatenate([_counts(question, ids, windows) for ids, windows in texts if windows], axis=1)
    holding = np.count_nonzero(counts, axis=1)
    worths: NDArray[np.float64] = idf(holding, total) @ saturated(counts)
    return worths


def _counts(
    question: NDArray[np.int32], text: NDArray[np.int32], windows: Sequence[tuple[int, int]]
) -> NDArray[np.intp]:
    bounds = np.array(windows)
    counts = [
        # A pair lies in a window with both of its tokens.
        np.searchsorted(places, bounds[:, 1] - (length - 1)) - np.searchsorted(places, bounds[:, 0])
        for places, length in _places(question, text)
    ]
    return np.maximum(np.stack(counts), 0) if counts else np.zeros((0, len(windows)), dtype=np.intp)


def _places(question: NDArray[np.int32], text: NDArray[np.int32]) -> Iterable[tuple[NDArray[np.intp], int]]:
    """Where each token of the question, and each pair of neighbours, begins in the text; and how long it is."""
    tokens = question.tolist()
    where = {token: np.flatnonzero(text == token) for token in dict.fromkeys(tokens)}
    for places in where.values():
        yield places, 1
    for first, second in dict.fromkeys(pairwise(tokens)):
        yield np.intersect1d(where[first], where[second] - 1, assume_unique=True), 2

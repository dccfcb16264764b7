"""What a sentence lacks of the question, against the best sentence of its text.

Windows are chosen by the words that they share with the question (selection.py); within what is read, a small network
still answers from a sentence that has nothing to do with the question more often than it should. How much that counts
against a span is on the model's card, fitted on held-out questions, and 0 for a network that has no use for it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from caveat.language.sentences import sentences
from caveat.models.decoding import Candidate
from caveat.models.encoding import EncodedText
from caveat.models.selection import worth

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Lacking"]


class Lacking:
    """The sentences of the parts of a text that are read, and how far the worth of each is behind the best one's."""

    def __init__(
        self, question: NDArray[np.int32], text: EncodedText, parts: Iterable[tuple[int, int]]
    ) -> None:
        """`parts` are half-open ranges of the text's tokens, in any order; those that overlap are read as one."""
        self._starts: list[int] = []
        ranges: list[tuple[int, int]] = []
        for first, last in _united(parts):
            begin, end = int(text.starts[first]), int(text.ends[last - 1])
            for start, stop in sentences(text.text[begin:end]):
                bounds: Any = np.searchsorted(text.starts, (begin + start, begin + stop))
                if bounds[0] < bounds[1]:
                    self._starts.append(begin + start)
                    ranges.append((int(bounds[0]), int(bounds[1])))
        worths = worth(question, [(text.ids, ranges)])
        self._behind: list[float] = (worths.max(initial=0.0) - worths).tolist()

    def at(self, character: int) -> float:
        """How far the sentence with this character is behind."""
        if not self._behind:
            return 0.0
        return self._behind[max(0, bisect_right(self._starts, character) - 1)]

    def told(self, candidates: Iterable[Candidate], weight: float) -> list[Candidate]:
        """The candidates with what their sentences lack, so much for each, taken from their scores; best first."""
        told = [
            msgspec.structs.replace(each, score=each.score - weight * self.at(each.start))
            for each in candidates
        ]
        return sorted(told, key=lambda each: (-each.score, each.start, each.end))


def _united(parts: Iterable[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """Ranges that overlap or touch as one, in order."""
    united: list[tuple[int, int]] = []
    for first, last in sorted(part for part in parts if part[0] < part[1]):
        if united and first <= united[-1][1]:
            united[-1] = (united[-1][0], max(last, united[-1][1]))
        else:
            united.append((first, last))
    return united

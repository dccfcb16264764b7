"""The passages of a collection that fit a question, by BM25 (Robertson and Zaragoza 2009)."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

__all__ = ["PassageIndex"]

K1, B = 1.2, 0.75
_TERM = re.compile(r"\w+")


class PassageIndex:
    """An inverted index over passages; terms are lower-cased words."""

    def __init__(self, passages: Sequence[str]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = []
        for number, passage in enumerate(passages):
            counts = Counter(_terms(passage))
            lengths.append(counts.total())
            for term, count in counts.items():
                self._postings[term].append((number, count))
        mean = sum(lengths) / len(lengths) if sum(lengths) else 1.0
        self._damping = [K1 * (1 - B + B * length / mean) for length in lengths]

    def best(self, question: str, limit: int) -> list[int]:
        """The numbers of the passages that share words with the question, best first; ties in order."""
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(_terms(question)):
            postings = self._postings.get(term, [])
            weight = math.log(1 + (len(self._damping) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, count in postings:
                scores[number] += weight * count * (K1 + 1) / (count + self._damping[number])
        return heapq.nsmallest(limit, scores, key=lambda number: (-scores[number], number))


def _terms(text: str) -> list[str]:
    return _TERM.findall(text.lower())

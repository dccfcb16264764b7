"""The passages of a collection that fit a question, by BM25 (Robertson and Zaragoza 2009)."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from caveat.language.bm25 import K1, damping, idf

__all__ = ["PassageIndex"]

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
        self._damping = damping(lengths).tolist()

    def best(self, question: str, limit: int) -> list[int]:
        """The numbers of the passages that share words with the question, best first; ties in order."""
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(_terms(question)):
            postings = self._postings.get(term, [])
            weight = float(idf(len(postings), len(self._damping)))
            for number, count in postings:
                scores[number] += weight * count * (K1 + 1) / (count + self._damping[number])
        return heapq.nsmallest(limit, scores, key=lambda number: (-scores[number], number))


def _terms(text: str) -> list[str]:
    return _TERM.findall(text.lower())

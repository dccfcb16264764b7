from __future__ import annotations

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.mrqa.sources.trec import PassageIndex

PASSAGES = [
    "The ferry crosses the river twice a day.",
    "The river is wide. The river is deep.",
    "Bread is baked at night.",
    "Ferry!",
]


def test_best_passages_first() -> None:
    index = PassageIndex(PASSAGES)
    # A short passage that is all "ferry" beats a long one that mentions it.
    assert index.best("Which ferry?", 5) == [3, 0]
    assert index.best("how DEEP is the river", 2) == [1, 0]
    assert index.best("how deep is the river", 1) == [1]
    assert index.best("zebra", 5) == []


def test_ties_keep_the_order() -> None:
    assert PassageIndex(["a b", "b a", "c"]).best("b", 3) == [0, 1]


def test_empty_collection() -> None:
    assert PassageIndex([]).best("anything", 3) == []
    assert PassageIndex(["", "…"]).best("anything", 3) == []


words = st.lists(st.sampled_from(["oak", "elm", "ash", "yew"]), max_size=8)


@given(st.lists(words, max_size=6), words)
def test_agrees_with_the_formula(passages: list[list[str]], question: list[str]) -> None:
    mean = sum(map(len, passages)) / max(len(passages), 1) or 1.0

    def score(passage: list[str]) -> float:
        total = 0.0
        for term in set(question):
            holding = sum(term in other for other in passages)
            idf = math.log(1 + (len(passages) - holding + 0.5) / (holding + 0.5))
            tf = passage.count(term)
            total += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(passage) / mean))
        return total

    scores = [score(passage) for passage in passages]
    best = PassageIndex([" ".join(passage) for passage in passages]).best(" ".join(question), 10)
    assert set(best) == {number for number, value in enumerate(scores) if value > 0}
    assert all(scores[a] >= scores[b] - 1e-9 for a, b in pairwise(best))

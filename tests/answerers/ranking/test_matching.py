"""Runs of a question's tokens in many texts, beside a plain search for each."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.ranking.features import match
from caveat.language.bm25 import bm25
from caveat.language.tokens import END

WORDS = st.lists(st.integers(1, 4), max_size=7)


@given(question=WORDS, texts=st.lists(WORDS, min_size=1, max_size=4))
def test_every_occurrence_is_found(question: list[int], texts: list[list[int]]) -> None:
    flat = [token for text in texts for token in (*text, END)]
    found = match(np.array(question, dtype=np.int32), np.array(flat, dtype=np.int32))
    assert found.lengths.tolist() == [len(text) for text in texts]
    for length, run in enumerate(found.runs, 1):
        runs = [tuple(question[at : at + length]) for at in range(len(question) - length + 1)]
        distinct = list(dict.fromkeys(runs))
        expected = [
            [sum(tuple(text[at : at + length]) == wanted for at in range(len(text))) for wanted in distinct]
            for text in texts
        ]
        counts = run.counted(np.arange(len(texts)), len(texts))
        assert counts.tolist() == [list(map(float, row)) for row in expected]
    for text, longest in zip(texts, found.longest.tolist(), strict=True):
        shared = [
            length
            for length in range(1, len(question) + 1)
            for at in range(len(question) - length + 1)
            for place in range(len(text) - length + 1)
            if question[at : at + length] == text[place : place + length]
        ]
        assert longest == max(shared, default=0)


def test_counts_by_groups() -> None:
    # "1 2" in the texts "1 2", "2", "1".
    found = match(np.array([1, 2], dtype=np.int32), np.array([1, 2, 0, 2, 0, 1, 0], dtype=np.int32))
    assert found.runs[0].counted(np.array([0, 0, -1]), 2).tolist() == [[1, 2], [0, 0]]
    assert found.runs[1].counted(np.array([0, 1, 1]), 2).tolist() == [[1], [0]]


def test_nothing_in_common() -> None:
    found = match(np.array([7], dtype=np.int32), np.array([1, 0, 0], dtype=np.int32))
    assert found.longest.tolist() == [0, 0]
    assert [run.counted(np.arange(2), 2).shape for run in found.runs] == [(2, 1), (2, 0), (2, 0)]
    assert bm25(found.runs[0].counted(np.arange(2), 2), found.lengths).tolist() == [0, 0]

"""BM25 on counts worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from caveat.language.bm25 import bm25, damping, idf, rarity, saturated

COUNTS = np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 0.0]])


def test_a_rare_term_tells_more_than_one_that_all_have() -> None:
    assert idf([1, 2], 2).tolist() == pytest.approx([math.log(2), math.log1p(0.2)])
    assert rarity(COUNTS).tolist() == pytest.approx([math.log1p(0.2), 0.0, math.log(2)])


def test_lengths_count_against_a_text_and_more_of_the_same_term_counts_less() -> None:
    assert damping([2, 6]).tolist() == pytest.approx([1.2 * (0.25 + 0.75 / 2), 1.2 * (0.25 + 0.75 * 1.5)])
    assert damping([]).tolist() == []
    assert saturated(np.array([0, 1, 2])).tolist() == pytest.approx([0, 1 / 2.2, 2 / 3.2])


def test_rarity_among_the_candidates() -> None:
    counts = np.array([[3.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    # Two of two have the first, one has the second, none the third.
    assert rarity(counts) == pytest.approx([math.log(1 + 0.5 / 2.5), math.log(1 + 1.5 / 1.5), 0])


def test_rarity_as_among_others() -> None:
    counts = np.array([[3.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]])
    common = np.array([True, False, True, False])
    # Three more, which have the first and the third: five of five have the first, one the second and the fourth.
    assert rarity(counts, 3, common) == pytest.approx([idf(5, 5), idf(1, 5), 0, idf(1, 5)])
    assert rarity(counts, 3)[1] == pytest.approx(math.log(1 + 4.5 / 1.5))
    assert rarity(counts, 0, common).tolist() == rarity(counts).tolist()


def test_bm25_by_hand() -> None:
    counts = np.array([[1.0, 0.0], [1.0, 1.0]])
    lengths = np.array([2, 4])
    both, one = math.log(1.2), math.log(2)
    # Lengths are 2/3 and 4/3 of the mean.
    short, long = 1.2 * (0.25 + 0.5), 1.2 * (0.25 + 1.0)
    expected = [both * 2.2 / (1 + short), (both + one) * 2.2 / (1 + long)]
    assert bm25(counts, lengths) == pytest.approx(expected)
    assert bm25(counts, lengths, np.array([both, one])) == pytest.approx(expected)

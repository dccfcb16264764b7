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


def test_other_texts_have_the_common_terms_alone() -> None:
    common = np.array([True, False, False])
    assert rarity(COUNTS, 2, common).tolist() == pytest.approx([float(idf(4, 4)), 0.0, float(idf(1, 4))])


def test_lengths_count_against_a_text_and_more_of_the_same_term_counts_less() -> None:
    assert damping([2, 6]).tolist() == pytest.approx([1.2 * (0.25 + 0.75 / 2), 1.2 * (0.25 + 0.75 * 1.5)])
    assert damping([]).tolist() == []
    assert saturated(np.array([0, 1, 2])).tolist() == pytest.approx([0, 1 / 2.2, 2 / 3.2])


def test_bm25() -> None:
    scores = bm25(COUNTS, np.array([3, 3]))
    assert scores.tolist() == pytest.approx([math.log1p(0.2) + math.log(2) * 4.4 / 3.2, math.log1p(0.2)])

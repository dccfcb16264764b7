"""Scores of which no two are alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.ranking.scores import distinct


def test_equal_scores_fall_by_tiny_steps_in_the_order_of_the_file() -> None:
    found = distinct([0.0, 2.0, 0.0, 2.0, 1.0])
    assert np.argsort(-found).tolist() == [1, 3, 4, 0, 2]
    assert found == pytest.approx([0, 2, 0, 2, 1], abs=1e-8)
    assert found[1] == 2.0


@given(st.lists(st.sampled_from([-1e6, -1.0, 0.0, 1e-12, 2e-9, 1.0, 1e6]), max_size=30))
def test_all_are_distinct_and_no_order_changes(scores: list[float]) -> None:
    found = distinct(scores).tolist()
    assert len(set(found)) == len(scores)
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    assert sorted(range(len(scores)), key=lambda place: -found[place]) == order

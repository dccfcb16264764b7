from __future__ import annotations

import random
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.conditionalqa.metric import best_sum

Matrix = list[list[float]]


@st.composite
def matrices(draw: st.DrawFn, values: st.SearchStrategy[float]) -> Matrix:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    return draw(st.lists(st.lists(values, min_size=columns, max_size=columns), min_size=rows, max_size=rows))


def by_permutations(scores: Matrix) -> float:
    if len(scores) > len(scores[0]):
        scores = [list(column) for column in zip(*scores, strict=True)]
    columns = range(len(scores[0]))
    return max(
        sum(row[column] for row, column in zip(scores, order, strict=True))
        for order in permutations(columns, len(scores))
    )


# Values with many ties, as matches give them, and arbitrary ones, negative ones included.
@given(matrices(st.sampled_from([0.0, 0.25, 0.5, 2 / 3, 1.0])) | matrices(st.floats(-1, 1, width=32)))
def test_it_is_the_best_of_all_permutations(scores: Matrix) -> None:
    assert best_sum(scores) == pytest.approx(by_permutations(scores), abs=1e-12)


def test_the_greedy_choice_is_not_always_the_best() -> None:
    assert best_sum([[0.75, 0.5], [0.5, 0.0]]) == 1.0


def test_more_rows_than_columns_leave_rows_out() -> None:
    assert best_sum([[0.25], [1.0], [0.5]]) == 1.0
    assert best_sum([[0.25, 0.5], [1.0, 0.75], [0.5, 0.0]]) == 1.5


def test_more_columns_than_rows_leave_columns_out() -> None:
    assert best_sum([[0.25, 1.0, 0.5]]) == 1.0


def test_negative_values_are_paired_too() -> None:
    assert best_sum([[-1.0, -3.0], [-1.0, -2.0]]) == -3.0


@pytest.mark.parametrize("scores", [[], [[]], [[], []]])
def test_nothing_to_pair_sums_to_zero(scores: Matrix) -> None:
    assert best_sum(scores) == 0.0


def test_values_are_added_in_row_order() -> None:
    # 0.1 + 0.2 + 0.3 = 0.6000000000000001, while 0.3 + 0.2 + 0.1 = 0.6.
    assert best_sum([[0.0, 0.0, 0.1], [0.0, 0.2, 0.0], [0.3, 0.0, 0.0]]) == 0.1 + 0.2 + 0.3


def test_sizes_no_permutation_search_can_do() -> None:
    generator = random.Random(7)
    hidden = list(range(40))
    generator.shuffle(hidden)
    scores = [[generator.random() * 0.5 for _ in hidden] for _ in hidden]
    for row, column in enumerate(hidden):
        scores[row][column] = 1.0
    assert best_sum(scores) == 40.0


def test_twelve_by_twelve_against_subsets() -> None:
    # The best assignment of the first k rows to each set of k columns: 2^12 sets instead of 12! orders.
    generator = random.Random(11)
    scores = [[generator.choice([0.0, 0.5, 1.0]) * generator.random() for _ in range(12)] for _ in range(12)]
    best = {0: 0.0}
    for row in scores:
        following: dict[int, float] = {}
        for used, total in best.items():
            for column, value in enumerate(row):
                if not used >> column & 1:
                    now = used | 1 << column
                    following[now] = max(following.get(now, 0.0), total + value)
        best = following
    assert best_sum(scores) == pytest.approx(best[(1 << 12) - 1], abs=1e-12)

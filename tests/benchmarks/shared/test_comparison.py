from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.shared.comparison import judge, resampled_differences

MANY = 20_000


def of(values: list[float]) -> dict[int, float]:
    return dict(enumerate(values))


def test_a_difference_that_every_question_shows_is_in_every_resample() -> None:
    resampled = resampled_differences(of([100.0] * 5), of([0.0] * 5), 999, 0, "set")
    found = judge(100.0, [resampled])
    assert (found.low, found.high) == (100.0, 100.0)
    assert found.p == pytest.approx(2 / 1000)  # (1 + 0) / (1 + 999), for both sides


def test_alike_systems_do_not_differ() -> None:
    found = judge(0.0, [resampled_differences(of([100.0, 0.0]), of([100.0, 0.0]), 999, 0, "set")])
    assert (found.low, found.high, found.p) == (0.0, 0.0, 1.0)


def test_p_is_the_share_of_resamples_on_the_other_side_of_zero() -> None:
    """Of two questions one is better: a quarter of the resamples draws the other twice, a quarter this one twice."""
    found = judge(50.0, [resampled_differences(of([100.0, 0.0]), of([0.0, 0.0]), MANY, 0, "set")])
    assert (found.low, found.high) == (0.0, 100.0)
    assert found.p == pytest.approx(0.5, abs=0.02)


def test_an_average_is_resampled_within_each_set() -> None:
    up = resampled_differences(of([100.0] * 3), of([0.0] * 3), 99, 0, "up")
    down = resampled_differences(of([0.0] * 7), of([50.0] * 7), 99, 0, "down")
    found = judge(25.0, [up, down])
    assert (found.low, found.high) == (25.0, 25.0)


def test_two_sets_are_drawn_independently() -> None:
    """Were the same places drawn in both, an average of one set and its opposite would never differ."""
    ones, zeros = of([100.0, 0.0, 100.0, 0.0]), of([0.0] * 4)
    first = resampled_differences(ones, zeros, 99, 0, "first")
    second = resampled_differences(zeros, ones, 99, 0, "second")
    found = judge(0.0, [first, second])
    assert found.low < 0.0 < found.high


def test_only_questions_of_both_count() -> None:
    resampled = resampled_differences({"a": 100.0, "b": 0.0}, {"a": 0.0}, 99, 0, "set")
    assert set(resampled) == {100.0}


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=1, max_size=12), st.integers(0, 9))
def test_intervals_lie_within_the_differences(pairs: list[tuple[float, float]], seed: int) -> None:
    first, second = of([one for one, _ in pairs]), of([other for _, other in pairs])
    resampled = resampled_differences(first, second, 200, seed, "set")
    again = resampled_differences(first, second, 200, seed, "set")
    assert list(resampled) == list(again)
    apart = [one - other for one, other in pairs]
    found = judge(sum(apart) / len(apart), [resampled])
    assert min(apart) - 1e-6 <= found.low <= found.high <= max(apart) + 1e-6
    assert 0 < found.p <= 1

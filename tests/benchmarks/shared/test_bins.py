from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.shared.count_tables import histogram, in_bins


def test_a_small_range_has_a_bin_for_each_value_and_no_gaps() -> None:
    assert in_bins([1, 4, 1, 2]) == {"1": 2, "2": 1, "3": 0, "4": 1}


def test_a_wide_range_has_bins_of_a_round_width() -> None:
    # 0 to 31 in at most 16 bins: width 1 would need 32, width 2 needs 16.
    assert in_bins(range(32)) == {f"{low}–{low + 1}": 2 for low in range(0, 32, 2)}
    # 0 to 32 would need 17 of width 2, so it gets 7 of width 5.
    assert list(in_bins([0, 32])) == ["0–4", "5–9", "10–14", "15–19", "20–24", "25–29", "30–34"]


def test_a_long_tail_is_one_open_bin() -> None:
    # 990 values of 1 to 3 and 10 far away: the 99th percentile is 3.
    values = [1] * 500 + [2] * 300 + [3] * 190 + [1000, 2000] * 5
    assert in_bins(values) == {"1": 500, "2": 300, "3": 190, "4+": 10}


def test_what_lies_beyond_the_percentile_but_near_needs_no_open_bin() -> None:
    values = [1] * 990 + [5] * 10
    assert in_bins(values) == {"1": 990, "2": 0, "3": 0, "4": 0, "5": 10}


def test_one_value_and_none() -> None:
    assert in_bins([12345]) == {"12345": 1}
    assert in_bins([]) == {}


def test_histogram_carries_name_and_unit() -> None:
    made = histogram("Questions by length", "tokens", [2, 2, 3])
    assert (made.name, made.unit, made.counts) == ("Questions by length", "tokens", {"2": 2, "3": 1})


@given(st.lists(st.integers(0, 5000) | st.integers(0, 10)))
def test_every_value_is_in_the_bin_whose_label_covers_it(values: list[int]) -> None:
    bins = in_bins(values)
    assert sum(bins.values()) == len(values)
    assert len(bins) <= 17
    for label, number in bins.items():
        low, _, high = label.removesuffix("+").partition("–")
        top = 10**9 if label.endswith("+") else int(high or low)
        assert number == sum(int(low) <= value <= top for value in values)

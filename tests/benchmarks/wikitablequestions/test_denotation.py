"""Denotations: what is the same by text, by number, by date, and as a set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.table_questions import is_right, normalised


@pytest.mark.parametrize(
    ("given_values", "wanted", "right"),
    [
        (["Skerry Mill"], ["skerry mill"], True),
        (["Škerry Mill"], ["Skerry Mill"], True),
        (["“Skerry”"], ["Skerry"], True),
        (["Skerry (old)"], ["Skerry"], True),
        (["Skerry[3]"], ["Skerry"], True),
        (["Skerry*"], ["Skerry."], True),
        (["Skerry Mills"], ["Skerry Mill"], False),
        # numbers
        (["1694"], ["1,694"], True),
        (["17"], ["17 years"], True),
        (["5th"], ["5"], True),
        (["17.0000001"], ["17"], True),
        (["17.1"], ["17"], False),
        # a season is no year
        (["1982"], ["1982/83"], False),
        # dates, whole or in part
        (["26 January 1995"], ["January 26, 1995"], True),
        (["26 January 1996"], ["January 26, 1995"], False),
        (["January 1995"], ["January 26, 1995"], False),
        (["1995"], ["1995"], True),
        # sets
        (["Elm", "Oak"], ["Oak", "Elm"], True),
        (["Oak"], ["Oak", "Elm"], False),
        (["Oak", "Elm", "Ash"], ["Oak", "Elm"], False),
        (["Oak", "Oak"], ["Oak"], True),
        ([], ["Oak"], False),
    ],
)
def test_what_is_the_same(given_values: list[str], wanted: list[str], right: bool) -> None:
    assert is_right(given_values, wanted) is right


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4))
def test_a_denotation_is_the_same_as_itself_in_any_order(values: list[str]) -> None:
    assert is_right(values, values[::-1])


@given(st.text(max_size=20))
def test_what_is_normalised_stays(text: str) -> None:
    assert normalised(text) == normalised(text.strip())

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.dates import PartialDate, dates_in, parse_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 May 2010", (2010, 5, 12)),
        ("May 12, 2010", (2010, 5, 12)),
        ("Sept. 9, 1990", (1990, 9, 9)),
        ("Sunday, 3 March 1985", (1985, 3, 3)),
        ("May 2010", (2010, 5, 0)),
        ("March 29", (0, 3, 29)),
        ("2010-05-12", (2010, 5, 12)),
        ("2010/5/12", (2010, 5, 12)),
        ("2010-05-12 14:30", (2010, 5, 12)),
        ("05/12/2010", (2010, 5, 12)),
        ("13/12/2010", (2010, 12, 13)),
        ("12.05.2010", (2010, 5, 12)),
        ("2010年5月12日", (2010, 5, 12)),
        ("2010年", (2010, 0, 0)),
        ("5月12日", (0, 5, 12)),
        ("1998–2001", (1998, 0, 0)),
        ("2004-05", (2004, 0, 0)),
        ("1990s", (1990, 0, 0)),
        ("c. 1890", (1890, 0, 0)),
        ("1958*", (1958, 0, 0)),
        ("1969 (lost)", (1969, 0, 0)),
    ],
)
def test_a_cell_that_is_a_date(text: str, expected: tuple[int, int, int]) -> None:
    assert parse_date(text) == PartialDate(*expected)


@pytest.mark.parametrize(
    "text", ["", "12", "12th", "2010-13-45", "32/32/2010", "1997, 1998", "1 (last: 1958)", "2,010", "May"]
)
def test_a_cell_that_is_none(text: str) -> None:
    assert parse_date(text) is None


def test_dates_in_a_question() -> None:
    text = "games after March 4, 1998 or in 2001, 2012年以后, 1000万, 1,999"
    found = dates_in(text)
    assert [tuple(f.date) for f in found] == [(1998, 3, 4), (2001, 0, 0), (2012, 0, 0)]
    assert [text[f.start : f.end] for f in found] == ["March 4, 1998", "2001", "2012年"]


@given(st.dates(date(1000, 1, 1), date(2199, 12, 31)), st.dates(date(1000, 1, 1), date(2199, 12, 31)))
def test_dates_are_in_the_order_of_time(first: date, second: date) -> None:
    one, two = parse_date(first.isoformat()), parse_date(second.isoformat())
    assert one is not None
    assert two is not None
    assert (one.ordinal < two.ordinal) == (first < second)


@given(st.text(max_size=40))
def test_any_text_is_a_date_or_not(text: str) -> None:
    parse_date(text)
    for found in dates_in(text):
        assert 0 <= found.start < found.end <= len(text)

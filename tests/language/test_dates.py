from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.dates import PartialDate, dates_in, days_in, parse_date


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
    "text",
    [
        "",
        "12",
        "12th",
        "2010-13-45",
        "32/32/2010",
        "1997, 1998",
        "1 (last: 1958)",
        "2,010",
        "May",
        "31 February 2020",
        "2019-02-29",
        "31/04/2010",
        "2010年2月30日",
        "April 31",
    ],
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


DATES = st.dates(date(1000, 1, 1), date(2199, 12, 31))


@given(DATES)
def test_a_date_in_many_styles_is_parsed_back(day: date) -> None:
    month = day.strftime("%B")
    ending = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th") if day.day not in (11, 12, 13) else "th"
    for text in (
        day.isoformat(),
        f"{day.day} {month} {day.year}",
        f"{day.day}{ending} of {month[:3]} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.year}/{day.month}/{day.day}",
        f"{day.day}.{day.month}.{day.year}",
        f"{day.year}年{day.month}月{day.day}日",
    ):
        assert parse_date(text) == (day.year, day.month, day.day), text
        assert [found[:2] for found in days_in(f"before {text}.")] == [(day, day)], text


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("in February 2020", date(2020, 2, 1), date(2020, 2, 29)),
        ("in February 2019", date(2019, 2, 1), date(2019, 2, 28)),
        ("in December of 2019", date(2019, 12, 1), date(2019, 12, 31)),
        ("since 1999", date(1999, 1, 1), date(1999, 12, 31)),
        ("2020年2月", date(2020, 2, 1), date(2020, 2, 29)),
        ("the 1990s", date(1990, 1, 1), date(1999, 12, 31)),
        ("05/12/2010", date(2010, 5, 12), date(2010, 12, 5)),
    ],
)
def test_the_days_that_a_date_may_be(text: str, first: date, last: date) -> None:
    assert [found[:2] for found in days_in(text)] == [(first, last)]


def test_without_a_year_it_is_on_no_day() -> None:
    assert days_in("on 6 April; 1066 men; 31 February 2020") == []
    assert parse_date("29 February") == (0, 2, 29)


@pytest.mark.parametrize("text", ["1958" + "*" * 50 + "x", "aprİl 2010", "9 Auguſt 2010"])
def test_odd_characters_do_no_harm(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize("unit", ["1", "2010", "2010-", "12 ", "may ", "年", "12月", "1/1/", "2010 "])
def test_time_grows_with_a_run(unit: str, growth: Callable[..., float]) -> None:
    # Ten times the text; quadratic would be a hundred times the time.
    assert growth(dates_in, unit * (3_000 // len(unit)), unit * (30_000 // len(unit))) < 30


@given(st.text(max_size=40))
def test_any_text_is_a_date_or_not(text: str) -> None:
    parse_date(text)
    for found in dates_in(text):
        assert 0 <= found.start < found.end <= len(text)

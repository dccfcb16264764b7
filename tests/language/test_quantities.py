from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.quantities import (
    Quantity,
    is_blank,
    parse_chinese_number,
    parse_quantity,
    quantities_in,
)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("12", 12, ""),
        ("1,234.5", 1234.5, ""),
        ("1 000 000", 1_000_000, ""),
        ("12 %", 12, "%"),
        ("$3 million", 3_000_000, "$"),
        ("US$ 2,100", 2100, "us$"),
        ("−16", -16, ""),
        ("(1,234)", -1234, ""),
        ("1st", 1, ""),
        ("T4", 4, ""),
        ("203.97 km2", 203.97, "km2"),
        ("5.44m (with the late show)", 5.44, "m"),
        ("4 [note 2]", 4, ""),
        ("2:31.5", 151.5, "s"),
        ("1:02:03", 3723, "s"),
        ("2h28m50.8s", 8930.8, "s"),
        ("6' 3\"", 6.25, "ft"),
        ("3.2万", 32_000, ""),
        ("3亿5000万", 350_000_000, ""),
        ("约1,200人", 1200, "人"),
        ("三千二百", 3200, ""),
        ("三百人", 300, "人"),
        ("第3名", 3, "名"),
    ],
)
def test_a_cell_that_is_a_number(text: str, value: float, unit: str) -> None:
    found = parse_quantity(text)
    assert found is not None
    assert found.value == pytest.approx(value)
    assert found.unit == unit


@pytest.mark.parametrize(
    "text",
    ["", "abc", "3-1", "78:65", "1998–2001", "67-66-67=200", "万科", "三亚", "1号线", "1.2.3", "x" * 100],
)
def test_a_cell_that_is_none(text: str) -> None:
    assert parse_quantity(text) is None


def test_the_decimal_comma_is_read_where_it_is_said() -> None:
    assert parse_quantity("3,14", decimal_comma=True) == Quantity(3.14)
    assert parse_quantity("1.234,5", decimal_comma=True) == Quantity(1234.5)
    assert parse_quantity("3,14") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("十", 10),
        ("十二", 12),
        ("二百零五", 205),
        ("一亿二千万", 120_000_000),
        ("两万", 20_000),
        ("二〇二一", 2021),
    ],
)
def test_chinese_numbers(text: str, value: int) -> None:
    assert parse_chinese_number(text) == value


@pytest.mark.parametrize("text", ["", "万", "三亚", "12"])
def test_what_is_no_chinese_number(text: str) -> None:
    assert parse_chinese_number(text) is None


def test_numbers_in_a_question() -> None:
    found = quantities_in("at least 25,000 people, over $3 million, two ships below 2:01, 人口超过1000万")
    assert [(q.value, q.unit) for q in found] == [
        (25_000, "people"),
        (3_000_000, "$"),
        (2, ""),
        (121, "s"),
        (10_000_000, ""),
    ]


def test_the_span_is_that_of_the_number() -> None:
    text = "more than 1,500 m"
    (found,) = quantities_in(text)
    assert text[found.start : found.end] == "1,500"


@pytest.mark.parametrize("text", ["", "  ", "-", "–", "n/a", "N/A", "Unknown", "无", "不详"])
def test_blank_cells(text: str) -> None:
    assert is_blank(text)


def test_a_zero_says_something() -> None:
    assert not is_blank("0")


@given(st.integers(-(10**12), 10**12))
def test_whole_numbers_come_back_with_and_without_separators(number: int) -> None:
    for text in (str(number), f"{number:,}"):
        found = parse_quantity(text)
        assert found is not None
        assert found.value == number


@given(st.text(max_size=40))
def test_any_text_is_a_number_or_not(text: str) -> None:
    parse_quantity(text)
    for found in quantities_in(text):
        assert 0 <= found.start < found.end <= len(text)

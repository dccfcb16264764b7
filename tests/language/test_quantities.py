from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.quantities import Quantity, is_blank, parse_quantity, quantities_in


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
        ("二十五岁", 25, "岁"),
        ("一百二十天", 120, "天"),
        ("两年半", 2.5, "年"),
        ("3年半", 3.5, "年"),
        ("一个半小时", 1.5, "小时"),
        ("半年", 0.5, "年"),
        ("3万元", 30_000, "元"),
        ("1.5万", 15_000, ""),
        ("3万5", 35_000, ""),
        ("两百五", 250, ""),
        ("百分之三十", 30, "%"),
        ("廿五", 25, ""),
        ("１，２３４．５", 1234.5, ""),
        ("1.5 million", 1_500_000, ""),
    ],
)
def test_a_cell_that_is_a_number(text: str, value: float, unit: str) -> None:
    found = parse_quantity(text)
    assert found is not None
    assert found.value == pytest.approx(value)
    assert found.unit == unit


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "3-1",
        "78:65",
        "1998–2001",
        "67-66-67=200",
        "万科",
        "三亚",
        "1号线",
        "半岛",
        "3万5.2.1",
        "1.2.3",
        "x" * 100,
    ],
)
def test_a_cell_that_is_none(text: str) -> None:
    assert parse_quantity(text) is None


def test_the_decimal_comma_is_read_where_it_is_said() -> None:
    assert parse_quantity("3,14", decimal_comma=True) == Quantity(3.14)
    assert parse_quantity("1.234,5", decimal_comma=True) == Quantity(1234.5)
    assert parse_quantity("3,14") is None


def test_numbers_in_a_question() -> None:
    found = quantities_in("at least 25,000 people, over $3 million, two ships below 2:01, 人口超过1000万")
    assert [(q.value, q.unit) for q in found] == [
        (25_000, "people"),
        (3_000_000, "$"),
        (2, ""),
        (121, "s"),
        (10_000_000, ""),
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("he worked there for twenty five years", [25]),
        ("one hundred and twenty days, twenty-two ships", [120, 22]),
        ("two and a half years, half a million people, a dozen eggs", [2.5, 500_000, 12]),
        ("more than 1.5 million", [1_500_000]),
        ("between one hundred and two hundred", [100, 200]),
        ("住了两年半，花了一千零五十元", [2.5, 1050]),
        ("一百二十天，３万元，半年，上半年", [120, 30_000, 0.5]),
    ],
)
def test_numbers_of_several_words(text: str, values: list[float]) -> None:
    assert [quantity.value for quantity in quantities_in(text)] == values


def test_a_share_of_a_hundred_is_in_percent() -> None:
    assert quantities_in("超过百分之三十") == [(30, "%", 2, 7)]
    assert quantities_in("超过百分之30") == [(30, "%", 2, 7)]


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


@pytest.mark.parametrize(
    "unit", ["1", "1,111,", "1:", "one ", "一", "两年半", "百分之", "半", "$", "1.", "万", "1 "]
)
def test_time_grows_with_a_run(unit: str, growth: Callable[..., float]) -> None:
    # Ten times the text; quadratic would be a hundred times the time.
    assert growth(quantities_in, unit * (3_000 // len(unit)), unit * (30_000 // len(unit))) < 30
    assert parse_quantity(unit * (100_000 // len(unit))) is None


def test_a_prefix_of_a_unit_multiplies_nothing() -> None:
    assert [(each.value, each.unit) for each in quantities_in("超过500兆瓦的电站")] == [(500.0, "兆瓦")]
    assert [(each.value, each.unit) for each in quantities_in("不到5千米的路")] == [(5.0, "千米")]
    assert [(each.value, each.unit) for each in quantities_in("投资3兆元")] == [(3e12, "元")]
    assert [(each.value, each.unit) for each in quantities_in("100万千瓦以上")] == [(1e6, "千瓦")]
    assert parse_quantity("640兆瓦") == Quantity(640.0, "兆瓦")

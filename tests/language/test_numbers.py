"""Numbers in words, in numerals and in figures; generators write what is parsed back."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from caveat.language.numbers import (
    NUMBER_WORDS,
    english_numbers,
    number_words,
    parse_chinese_number,
    parse_english_number,
    parse_number,
)

SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_english(number: int, hyphen: str = "-", conjunction: str = " and ") -> str:
    """As the British write it; Americans leave out the "and"."""
    if number < 20:
        return SMALL[number]
    if number < 100:
        return TENS[number // 10] + (hyphen + SMALL[number % 10] if number % 10 else "")
    size, word = (100, "hundred") if number < 1000 else (1000, "thousand")
    rest = number % size
    text = f"{in_english(number // size, hyphen, conjunction)} {word}"
    if not rest:
        return text
    return text + (conjunction if rest < 100 else " ") + in_english(rest, hyphen, conjunction)


def in_chinese(number: int) -> str:
    """As it is written in full: 一万零五十, and 十五 without the 一."""
    if number >= 10_000:
        rest = number % 10_000
        gap = "零" if rest and rest < 1000 else ""
        return in_chinese(number // 10_000) + "万" + gap + (full(rest) if rest else "")
    return full(number).removeprefix("一") if 10 <= number < 20 else full(number)


def full(number: int) -> str:
    text = ""
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, size)
        if digit:
            text += "零一二三四五六七八九"[digit] + name
        elif text and number and not text.endswith("零"):
            text += "零"
    return text or "零"


@example(number=110)
@example(number=100_001)
@example(number=999_999)
@settings(max_examples=500)
@given(number=st.integers(0, 999_999))
def test_every_number_in_english_words_is_parsed_back(number: int) -> None:
    for hyphen in ("-", " "):
        for conjunction in (" and ", " "):
            text = in_english(number, hyphen, conjunction)
            assert parse_english_number(text) == number, text
            assert parse_number(text.upper()) == number


@example(number=10)
@example(number=10_010)
@example(number=100_000)
@example(number=101_010)
@settings(max_examples=500)
@given(number=st.integers(0, 999_999))
def test_every_number_in_chinese_numerals_is_parsed_back(number: int) -> None:
    text = in_chinese(number)
    assert parse_chinese_number(text) == number, text
    traditional = text.translate(str.maketrans("万", "萬"))
    formal = text.translate(str.maketrans("一二三四五六七八九十百千", "壹贰叁肆伍陆柒捌玖拾佰仟"))
    assert parse_number(traditional) == parse_number(formal) == number


@given(number=st.integers(0, 10**15))
def test_figures_are_parsed_back(number: int) -> None:
    full_width = str(number).translate(str.maketrans("0123456789", "０１２３４５６７８９"))
    assert parse_number(str(number)) == parse_number(f"{number:,}") == parse_number(full_width) == number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("twenty five", 25),
        ("Twenty-Five", 25),
        ("two thousand and five", 2005),
        ("fifteen hundred", 1500),
        ("a hundred", 100),
        ("hundred", 100),
        ("a dozen", 12),
        ("two dozen", 24),
        ("half a million", 500_000),
        ("two and a half", 2.5),
        ("one and a half million", 1_500_000),
        ("two and three quarters", 2.75),
        ("1.5 million", 1_500_000),
        ("3bn", 3_000_000_000),
        ("十", 10),
        ("廿五", 25),
        ("两百五", 250),
        ("一万二", 12_000),
        ("一千零五", 1005),
        ("一千零五十", 1050),
        ("三点五万", 35_000),
        ("三点一四", 3.14),
        ("1.5万", 15_000),
        ("3万5", 35_000),
        ("3亿5000万", 350_000_000),
        ("一万亿", 10**12),
        ("１２．５", 12.5),
    ],
)
def test_numbers_as_they_are_said(text: str, value: float) -> None:
    assert parse_number(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "and",
        "a",
        "half",
        "thousand",
        "one two",
        "five and six",
        "twenty, five",
        "万",
        "三亚",
        "3.4.5",
        "1万2.3.4",
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("one two three", [1, 2, 3]),
        ("five and six", [5, 6]),
        ("between one hundred and two hundred", [100, 200]),
        ("one thousand two thousand", [1000, 2000]),
        ("from one thousand and two thousand", [1000, 2000]),
        ("a hundred and one dalmatians", [101]),
        ("twenty-one-year-old twins", [21]),
        ("someone often attends", []),
    ],
)
def test_numbers_in_a_row_are_told_apart(text: str, values: list[float]) -> None:
    found = english_numbers(text)
    assert [number.value for number in found] == values
    assert [parse_english_number(text[number.start : number.end]) for number in found] == values


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


def test_words_for_patterns() -> None:
    assert number_words(2, 10) == tuple(SMALL[2:11])
    assert number_words(18, 30) == ("eighteen", "nineteen", "twenty", "thirty")
    assert NUMBER_WORDS["ninety"] == 90


WORDS = st.sampled_from(
    [
        *NUMBER_WORDS,
        "thousand",
        "million",
        "dozen",
        "and",
        "a",
        "half",
        "quarters",
        "ſix",
        "fİve",
        "-",
        ",",
        "半",
        "点",
    ]
)


@given(st.lists(WORDS | st.text("零一两十百千万亿廿点0１．.,e", max_size=6), max_size=12))
def test_anything_is_a_number_or_not(parts: list[str]) -> None:
    for text in (" ".join(parts), "".join(parts)):
        parse_number(text)
        found = english_numbers(text)
        assert all(a.end <= b.start for a, b in pairwise(found))
        assert all(0 <= number.start < number.end <= len(text) for number in found)


@pytest.mark.parametrize(
    "unit",
    [
        "one ",
        "twenty-",
        "half a ",
        "hundred and ",
        "thousand ",
        "one and a ",
        "一",
        "两百",
        "亿",
        "万",
        "点",
        "1",
        "1,111,",
        "1.",
    ],
)
def test_time_grows_with_a_run(unit: str, growth: Callable[..., float]) -> None:
    def numbers(text: str) -> None:
        english_numbers(text)
        parse_number(text)

    # Ten times the text; quadratic would be a hundred times the time.
    assert growth(numbers, unit * (3_000 // len(unit)), unit * (30_000 // len(unit))) < 30

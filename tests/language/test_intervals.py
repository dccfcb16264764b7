"""Measures as intervals, in English and Chinese; what is compared is what is written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.intervals import Interval, implied, intervals_in


def only(text: str) -> Interval:
    (found,) = intervals_in(text)
    return found


@pytest.mark.parametrize(
    ("text", "dimension", "low", "high"),
    [
        ("twenty five years", "duration", 25 * 365, 25 * 365),
        ("twenty-five years old", "age", 25, 25),
        ("at least one hundred and twenty days", "duration", 120, inf),
        ("two and a half years", "duration", 912.5, 912.5),
        ("a year and a half", "duration", 547.5, 547.5),
        ("half a year", "duration", 182.5, 182.5),
        ("1.5 million pounds", "money", 1_500_000, 1_500_000),
        ("£1.5m", "money", 1_500_000, 1_500_000),
        ("£20 annually", "money", 20, 20),
        ("2000 miles", "length", 3_218_000, 3_218_000),
        ("between 16 and 19", "age", 16, 19),
        ("aged 16 to 19", "age", 16, 19),
        ("between 2 and 5 years", "duration", 730, 1825),
        ("2-3 weeks", "duration", 14, 21),
        ("£10 to £20 a week", "money", 520, 1040),
        ("15+ years", "duration", 15 * 365, inf),
        ("3 or more years", "duration", 3 * 365, inf),
        ("5 or fewer days", "duration", -inf, 5),
        ("36 hours", "duration", 1.5, 1.5),
        ("36个小时", "duration", 1.5, 1.5),
        ("八级", "grade", 8, 8),
        ("七级至十级", "grade", 7, 10),
        ("不得超过三天", "duration", -inf, 3),
        ("最长为三天", "duration", -inf, 3),
        ("不得少于三天", "duration", 3, inf),
        ("二十五岁", "age", 25, 25),
        ("两年半", "duration", 912.5, 912.5),
        ("一百二十天", "duration", 120, 120),
        ("3万元", "money", 30_000, 30_000),
        ("1.5万元以下", "money", -inf, 15_000),
        ("十五年以上", "duration", 15 * 365, inf),
        ("满1年不满10年", "duration", 365, 3649.5),
        ("年满18周岁以上不满60周岁", "age", 18, 59.5),
        ("三千元以上三万元以下", "money", 3000, 30_000),
        ("三个月至六个月", "duration", 91.25, 182.5),
        ("18至60岁", "age", 18, 60),
        ("半年", "duration", 182.5, 182.5),
        ("一个半月", "duration", 45.625, 45.625),
        ("不超过百分之三十", "percent", -inf, 30),
        ("每月3000元", "money", 36_000, 36_000),
        ("3000元/月", "money", 36_000, 36_000),
        ("三十日内", "duration", -inf, 30),
        ("３万元", "money", 30_000, 30_000),
    ],
)
def test_what_is_measured(text: str, dimension: str, low: float, high: float) -> None:
    found = only(text)
    assert (found.dimension, found.low, found.high) == (dimension, low, high)


@pytest.mark.parametrize(
    "text",
    ["上半年", "第3年", "3年级", "上一年度", "31 February 2020", "half", "a nice day out, one of many"],
)
def test_what_is_no_measure(text: str) -> None:
    assert intervals_in(text) == []


def test_twelve_months_are_a_year() -> None:
    assert only("12 months")[:3] == only("a year")[:3] == only("十二个月")[:3]
    assert only("eighteen months")[:3] == only("one and a half years")[:3]


def test_several_in_their_order() -> None:
    found = intervals_in("£30 a day for 5 days since 3 May 2020, 90% of it")
    assert [each.dimension for each in found] == ["money", "duration", "date", "percent"]
    assert [each.start for each in found] == sorted(each.start for each in found)


DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31))


def written(day: date) -> tuple[str, str]:
    return f"{day.day} {day.strftime('%B')} {day.year}", f"{day.year}年{day.month}月{day.day}日"


@given(DAYS, DAYS)
def test_dates_compare_as_the_calendar_does(first: date, second: date) -> None:
    for one, two, before in zip(written(first), written(second), ("before {}", "早于{}"), strict=True):
        said, wanted = only(f"born on {one}"), only(before.format(two))
        assert (said.high <= wanted.high) == (first < second)
        assert (said.low > wanted.high) == (first >= second)


@given(st.integers(3, 110), st.integers(3, 110))
def test_ages_compare_as_numbers_do(said: int, wanted: int) -> None:
    age = only(f"I am {said}.").low
    assert (age >= only(f"over {wanted}").low) == (said > wanted) == (age >= only(f"超过{wanted}岁").low)
    assert (
        (age >= only(f"aged {wanted} or over").low)
        == (said >= wanted)
        == (age >= only(f"{wanted}岁以上").low)
    )
    assert (age <= only(f"under {wanted}").high) == (said < wanted) == (age <= only(f"不满{wanted}周岁").high)
    assert (
        (age <= only(f"up to {wanted} years old").high)
        == (said <= wanted)
        == (age <= only(f"最多{wanted}岁").high)
    )


@given(st.integers(1, 10**7), st.integers(1, 10**7))
def test_amounts_compare_as_pence_do(said: int, wanted: int) -> None:
    amount, bound = only(f"£{said / 100:.2f} a week").low, f"£{wanted / 100:.2f} a week"
    assert (amount >= only(f"more than {bound}").low) == (said > wanted)
    assert (amount <= only(f"less than {bound}").high) == (said < wanted)


PARTS = st.sampled_from(
    [
        *(
            "over ",
            "between ",
            "and ",
            "£",
            "12",
            "1,000",
            "twenty ",
            "five ",
            "years ",
            "old",
            "a ",
            "half ",
            " to ",
            "-",
        ),
        *(
            "满",
            "不满",
            "年",
            "个月",
            "半",
            "两",
            "万",
            "元",
            "百分之",
            "以上",
            "岁",
            "2020",
            "年3月",
            "31日",
            "每月",
            "/月",
        ),
        *("May ", " a week", "."),
    ]
)


@given(st.lists(PARTS | st.text(max_size=3), max_size=15).map("".join))
def test_any_text_has_intervals_or_none(text: str) -> None:
    for found in intervals_in(text):
        assert found.low <= found.high
        assert 0 <= found.start < found.end <= len(text)


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "one ",
        "twenty five years ",
        "一",
        "两年半",
        "满1年",
        "2010 ",
        "£5 a week ",
        "a ",
        "1-",
        "over ",
        "百分之",
        "半",
    ],
)
def test_time_grows_with_a_run(unit: str, growth: Callable[..., float]) -> None:
    # Ten times the text; quadratic would be a hundred times the time.
    assert growth(intervals_in, unit * (3_000 // len(unit)), unit * (30_000 // len(unit))) < 30


@pytest.mark.parametrize(
    ("asked", "yes", "other", "follows"),
    [
        ("Have you worked here for under 1 year?", True, "Have you worked here for over 1 year?", False),
        ("Have you worked here for over 5 years?", True, "Have you worked here for over 1 year?", True),
        ("Have you worked here for over 1 year?", True, "Have you worked here for over 5 years?", None),
        ("Have you worked here for over 1 year?", False, "Have you worked here for over 5 years?", False),
        ("Are you under 18?", True, "Are you over 60?", False),
        ("Are you under 18?", False, "Are you over 60?", None),
        # Another measure, or another matter.
        ("Are you under 18?", True, "Have you worked here for over 1 year?", None),
        ("Is your hive under 2 years old?", True, "Did you wait at the harbour for over 5 years?", None),
        ("Do you keep bees?", True, "Are you over 60?", None),
        ("累计缴费时间满5年不足10年吗？", True, "累计缴费时间10年以上吗？", False),
        ("累计缴费时间满5年不足10年吗？", False, "累计缴费时间10年以上吗？", None),
    ],
)
def test_what_follows(asked: str, yes: bool, other: str, follows: bool | None) -> None:
    assert implied(asked, yes, other) is follows

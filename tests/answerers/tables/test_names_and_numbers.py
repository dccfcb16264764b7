"""Which words of a question are numbers, names of columns, and said twice."""

from __future__ import annotations

import pytest

from caveat.answerers.tables.answerer import answer_from_tables
from caveat.answerers.tables.question import ParsedQuestion
from caveat.core.records import Table

_STAFF = Table(
    ("name", "job", "city", "hired", "wage"),
    (
        ("Ada", "Data Analyst", "Ottawa", "2021-03-04", "400"),
        ("Bo", "Driver", "Ottawa", "2021-08-09", "300"),
        ("Cyd", "Data Analyst", "Hobart", "2022-08-20", "350"),
    ),
)
_EXPORTS = Table(
    ("state", "total exports", "wheat", "dairy"),
    (("Avon", "90", "5", "20"), ("Brae", "70", "30", "10"), ("Cove", "80", "20", "40")),
)
_CASES = Table(
    ("Country", "Lat", "Lon", "Value"),
    (("Arda", "6.4", "80.5", "12"), ("Bela", "9.9", "20.1", "40")),
)


def test_what_brackets_say_again_is_explained_with_them() -> None:
    (said, inside), *others = ParsedQuestion("数据分析师（Data Analyst）有几个？").glosses
    assert (len(said), len(inside), others) == (5, 2, [])
    assert answer_from_tables("数据分析师（Data Analyst）的记录有多少条？", [_STAFF])[0].text == "2"


@pytest.mark.parametrize("question", ["一共有几个城市", "哪一个城市最大", "一起来的有谁"])
def test_what_only_begins_with_a_numeral_is_no_number(question: str) -> None:
    assert ParsedQuestion(question).literals == []


def test_a_decade_is_ten_years_in_chinese_too() -> None:
    found = ParsedQuestion("1970年代的价格").comparisons
    assert [(one.relation, one.literal.number) for one in found] == [("at least", 1970), ("at most", 1979)]


def test_a_month_is_one_of_dates() -> None:
    assert answer_from_tables("How many were hired in August?", [_STAFF])[0].text == "2"


def test_names_side_by_side_are_one() -> None:
    assert answer_from_tables("小麦出口最多的州是哪个", [_EXPORTS])[0].text == "Brae"
    assert answer_from_tables("乳制品出口最多的州是哪个", [_EXPORTS])[0].text == "Cove"


def test_no_coordinate_is_the_most_of_a_country() -> None:
    assert answer_from_tables("which country had the most", [_CASES])[0].text == "Bela"


def test_the_lowest_of_a_column_alone_is_its_value() -> None:
    assert answer_from_tables("lowest wage in the whole list", [_STAFF])[0].text == "300"

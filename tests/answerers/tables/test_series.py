"""What is computed along a row whose columns are years or quarters."""

from __future__ import annotations

import pytest

from caveat.answerers.tables.answerer import answer_from_tables
from caveat.core.records import Table

_REPORT = Table(
    ("Item", "2021", "2022", "2023"),
    (
        ("Flour sold", "40", "50", "60"),
        ("Repairs", "12", "9", "18"),
        ("Wages", "100", "110", "99"),
    ),
    caption="Results of the mill",
)
_SHOPS = Table(
    ("门店", "Q1", "Q2", "Q3", "Q4"),
    (("东门", "30%", "20%", "25%", "25%"), ("西门", "10%", "40%", "30%", "20%")),
)


@pytest.mark.parametrize(
    ("question", "expected", "number"),
    [
        ("What was the average of repairs from 2021 to 2023?", "13", 13.0),
        ("What was the change in wages from 2022 to 2023?", "-11", -11.0),
        ("In which year were repairs the largest?", "2023", None),
    ],
)
def test_along_the_row(question: str, expected: str, number: float | None) -> None:
    answer = answer_from_tables(question, [_REPORT])[0]
    assert answer.text == expected
    assert answer.number == number


def test_a_change_in_percent_is_of_the_earlier_period() -> None:
    answer = answer_from_tables("What was the percentage change in flour sold from 2021 to 2023?", [_REPORT])[
        0
    ]
    assert (answer.text, answer.number) == ("50%", 50.0)


def test_a_share_is_given_from_a_column_of_shares() -> None:
    assert answer_from_tables("西门第二季度的占比是多少？", [_SHOPS])[0].text == "40%"
    assert answer_from_tables("第四季度占比超过22%的门店有哪些？", [_SHOPS])[0].text == "东门"

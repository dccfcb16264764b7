"""So many of the largest, how many rows, and numbers with their units in a comparison."""

from __future__ import annotations

import pytest

from caveat.answerers.tables.answerer import answer_from_tables
from caveat.core.records import Table

DEPARTMENTS = Table(
    ("department", "head", "budget"),
    (
        ("Research", "Ada", "500"),
        ("Sales", "Bo", "300"),
        ("Canteen", "Cy", "90"),
        ("Legal", "Di", "410"),
    ),
    id="departments.csv",
)
SHOPS = Table(
    ("门店", "城市", "开业年份", "面积"),
    (
        ("南湖店", "武汉", "2016", "320"),
        ("东门店", "深圳", "2019", "410"),
        ("西溪店", "杭州", "2021", "280"),
        ("北苑店", "北京", "2018", "500"),
    ),
    id="门店.csv",
)
PLANTS = Table(
    ("电站", "省份", "装机容量（兆瓦）"),
    (("青山", "湖北", "640"), ("白水", "四川", "320"), ("长岭", "云南", "1200"), ("石桥", "贵州", "480")),
    id="电站.csv",
)
BOATS = Table(
    ("name", "weight", "crew"),
    (("Heron", "820", "3"), ("Gull", "1240", "2"), ("Tern", "90", "5")),
    id="boats",
)


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        ("Which two departments have the largest budget?", DEPARTMENTS, "Research; Legal"),
        ("What are the two departments with the smallest budget?", DEPARTMENTS, "Canteen; Sales"),
        ("Name three departments with the highest budgets", DEPARTMENTS, "Research; Legal; Sales"),
        ("Which department has the largest budget?", DEPARTMENTS, "Research"),
        ("哪两家门店的面积最大？", SHOPS, "北苑店; 东门店"),
        ("哪家门店的面积最大？", SHOPS, "北苑店"),
        ("2018年以后开业的门店有几家", SHOPS, "2"),
        ("2018年之前开业的门店有多少家", SHOPS, "1"),
        ("2018年以后开业的门店有哪些", SHOPS, "东门店; 西溪店"),
        ("装机容量超过500兆瓦的电站有哪些", PLANTS, "青山; 长岭"),
        ("超过500兆瓦的电站有几座？", PLANTS, "2"),
        ("装机容量低于400兆瓦的电站有几个", PLANTS, "1"),
        # No word of the question is in the table, but its heaviest row is.
        ("the heaviest", BOATS, "Gull"),
    ],
)
def test_the_answer_is_as_many_as_are_asked_for(question: str, table: Table, answer: str) -> None:
    assert answer_from_tables(question, [table])[0].text == answer


def test_a_table_that_says_nothing_of_the_question_does_not_answer_it() -> None:
    assert sum(each.score for each in answer_from_tables("Who won the cup?", [BOATS])) < 0.5

from __future__ import annotations

import pytest

from caveat.answerers.tables.answerer import answer_from_tables
from caveat.core.records import Table

RICE = Table(
    ("Country Name", "Country Code", "Year", "Value"),
    (
        ("Japan", "JPN", "2009", "5100"),
        ("Japan", "JPN", "2010", "5700"),
        ("World", "WLD", "2009", "60000"),
        ("World", "WLD", "2010", "66000"),
        ("Peru", "PER", "2009", "140"),
        ("Peru", "PER", "2010", "150"),
    ),
    "harvest",
    "harvest.csv",
)
RAIN = Table(
    ("Station", "Code", "Month", "mm"),
    (("Oak", "O1", "May", "12"), ("Elm", "E1", "May", "31"), ("Ash", "A1", "June", "8")),
    "rainfall",
    "rainfall.csv",
)
COLLEGES = Table(
    ("学校", "主管部门", "所在地", "层次"),
    (
        ("东湖大学", "教育部", "江州", "本科"),
        ("西岭学院", "江东省", "白石", "本科"),
        ("南浦学院", "民政厅", "南浦", "专科"),
        ("北苑大学", "卫生部", "江州", "本科"),
    ),
    "",
    "colleges.csv",
)


@pytest.mark.parametrize(
    ("question", "table", "expected"),
    [
        ("What was the harvest of Japan in 2010?", RICE, "5700"),
        ("How much rice did Peru grow in 2009?", RICE, "140"),
        ("What was the harvest of the World in 2009?", RICE, "60000"),
        ("What is the country code of Peru?", RICE, "PER"),
        ("Which country had the largest harvest in 2010?", RICE, "Japan"),
        ("What was the rainfall at Elm?", RAIN, "31"),
        ("What is the code of Elm?", RAIN, "E1"),
        ("东湖大学在哪个城市？", COLLEGES, "江州"),
        ("西岭学院位于哪座城市？", COLLEGES, "白石"),
        ("南浦学院在哪里？", COLLEGES, "南浦"),
        ("西岭学院的主管部门是什么？", COLLEGES, "江东省"),
    ],
)
def test_the_column_that_is_asked_for(question: str, table: Table, expected: str) -> None:
    assert answer_from_tables(question, [table])[0].text == expected


def test_what_was_found_comes_before_its_table() -> None:
    loans = Table(
        ("Class", "Teacher", "Pupils", "Books borrowed"),
        (("5A", "Mr Hale", "27", "143"), ("5B", "Ms Quint", "25", "98"), ("6A", "Ms Orr", "29", "176")),
        "School library loans, second term",
    )
    found = answer_from_tables("How many books were borrowed in total?", [loans])
    assert [answer.kind for answer in found] == ["computed"]
    assert found[0].text == "417"
    assert sum(answer.score for answer in found) <= 1


def test_a_total_number_is_a_sum_where_a_column_has_the_numbers() -> None:
    farms = Table(
        ("Farm", "Valley", "Goats"),
        (("Hill", "Upper", "12"), ("Brook", "Lower", "30"), ("Mill", "Lower", "5")),
        "",
        "farms.csv",
    )
    assert answer_from_tables("What is the total number of goats?", [farms])[0].text == "47"
    assert answer_from_tables("What is the number of farms in the Lower valley?", [farms])[0].text == "2"

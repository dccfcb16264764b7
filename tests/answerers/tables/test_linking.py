from __future__ import annotations

import pytest

from caveat.answerers.tables.answerer import TableAnswer, answer_from_tables
from caveat.core.records import Table

FIRMS = Table(
    ("Firm", "Sector", "Founded"),
    (
        ("Abbot Oil", "Energy", "1901"),
        ("Brick & Company", "Building", "1950"),
        ("Corn Mill", "Food", "1888"),
        ("Delta Gas", "Energy", "1970"),
        ("Evans & Company", "Food", "1933"),
        ("Fuller Territories", "Energy", "1999"),
    ),
    "",
    "firms.csv",
)
SCHOOLS = Table(
    ("School", "Town", "Pupils 2010", "Pupils 2020"),
    (
        ("Oak", "Arden", "310", "2010"),
        ("Elm", "Boro", "420", "380"),
        ("Ash", "Arden", "2020", "510"),
        ("Fir", "Colby", "150", "90"),
    ),
    "",
    "schools.csv",
)
PHONES = Table(
    ("Name", "Dial", "Region code", "Units"),
    (("Kenya", "254", "14", "7"), ("Peru", "51", "5", "3"), ("Fiji", "679", "54", "9")),
    "",
    "phones.csv",
)


def best(question: str, table: Table) -> TableAnswer:
    return next(each for each in answer_from_tables(question, [table]) if each.kind != "table")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many companies are in the Energy sector?", "3"),
        ("How many companies and territories are in the Energy sector?", "3"),
        ("Which company is the oldest?", "Corn Mill"),
    ],
)
def test_what_the_rows_are_called_is_no_part_of_a_cell(question: str, expected: str) -> None:
    assert best(question, FIRMS).text == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the total of Pupils 2020?", "2,990"),
        ("Which school had the most pupils in 2020?", "Oak"),
        ("Which school had the most pupils in 2010?", "Ash"),
        ("In 2020, which school had the most pupils?", "Oak"),
        ("How many pupils did Elm have in 2020?", "380"),
    ],
)
def test_a_number_of_a_column_name_tells_the_column_and_filters_no_cells(
    question: str, expected: str
) -> None:
    assert best(question, SCHOOLS).text.replace(",", "") == expected.replace(",", "")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is Kenya's dialling code?", "254"),
        ("What is the dialling code of Peru?", "51"),
        ("What is the region code of Peru?", "5"),
    ],
)
def test_a_word_made_of_a_column_name_names_the_column(question: str, expected: str) -> None:
    assert best(question, PHONES).text == expected


def test_what_stands_after_the_noun_may_be_a_cell() -> None:
    drivers = Table(
        ("Driver", "Car"),
        (("Rey", "Alba 1000"), ("Voss", "Corvo"), ("Lund", "Alba 1300"), ("Senn", "Duna")),
        "",
        "drivers.csv",
    )
    assert best("How many competitors drive Albas?", drivers).text == "2"

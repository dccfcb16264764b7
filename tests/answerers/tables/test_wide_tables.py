"""Tables of hundreds of columns: what is looked at does not grow with pairs of columns, and answers are found still."""

from __future__ import annotations

import pytest

from caveat.answerers.tables.answerer import answer_from_tables
from caveat.answerers.tables.confidence import interpretations
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.answerers.tables.selection import View
from caveat.core.records import Table


def wide(columns: int, name: str = "col{}") -> Table:
    """Three rows of different numbers: in column 1 they are 1, 8 and 4, in column 2 they are 2, 16 and 8."""
    headers = tuple(name.format(number) for number in range(1, columns + 1))
    rows = tuple(tuple(str(number * times) for number in range(1, columns + 1)) for times in (1, 8, 4))
    return Table(headers, rows, "measurements")


def number_of_interpretations(question: str, table: Table) -> int:
    return len(interpretations(View(ParsedQuestion(question), PreparedTable(table))))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the highest col1 value?", "col{}"),
        # named by none, and by a word that stands in every name
        ("What is the highest value?", "col{}"),
        ("What is the highest score?", "score of test {}"),
        ("What is the average score of the row with 8?", "score of test {}"),
        ("最大的数是多少？", "成绩{}"),
    ],
)
def test_what_is_looked_at_does_not_grow_with_the_columns(question: str, name: str) -> None:
    few, many = (number_of_interpretations(question, wide(columns, name)) for columns in (100, 300))
    assert many <= 1.5 * few


@pytest.mark.parametrize("columns", [64, 1000])
@pytest.mark.parametrize(
    ("question", "text"),
    [("What is the highest col1 value?", "8"), ("What is the lowest col60 value?", "60")],
)
def test_a_column_that_is_named_is_found_among_many(columns: int, question: str, text: str) -> None:
    assert text in {answer.text for answer in answer_from_tables(question, [wide(columns)])}


def test_the_words_of_a_cell_count_the_same_in_the_last_column() -> None:
    headers = ("Ship", *(f"Note {number}" for number in range(1, 500)), "Home port")
    rows = (
        ("Aurora", *("Home" for _ in range(1, 500)), "Lisbon harbour"),
        ("Castor", *("Home" for _ in range(1, 500)), "Genoa harbour"),
    )
    [best, *_] = answer_from_tables("Which ship lies in Genoa harbour?", [Table(headers, rows, "ships")])
    assert best.text == "Castor"
    assert best.operation == "Ship where Home port is Genoa harbour"

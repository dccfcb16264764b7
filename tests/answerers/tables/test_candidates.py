"""What comes into question as an answer, whatever the weights make of it."""

from __future__ import annotations

import numpy as np
import pytest

from caveat.answerers.tables.columns import columns_of
from caveat.answerers.tables.confidence import confidences, interpretations
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.answerers.tables.selection import View
from caveat.core.records import Table

RACES = Table(
    ("Date", "Rider", "Nation", "Result", "Points", "Remark"),
    (
        ("3 May 1987", "Ada Holm", "Sweden", "W 3–1", "12", ""),
        ("9 June 1988", "Bo Lund", "Italy", "W 2–0", "10", "in rain"),
        ("1 July 1990", "Cy Ferro", "Italy", "L 0–2", "2", ""),
        ("4 August 1993", "Di Marsh", "United States", "W 4–1", "10", "in rain"),
        ("7 May 1999", "Ed Ross", "United Kingdom", "L 1–2", "–", ""),
        ("2 June 2004", "Flo Berg", "Sweden", "L 1–3", "4", ""),
    ),
    "races",
    "races.csv",
)
MINISTERS = Table(
    ("Minister", "Term", "Entered office", "Left office", "Seats"),
    (
        ("Ane Dahl", "1901–1914", "1901", "1914", "134 / 250"),
        ("Per Vik", "1914–1920", "1914", "1920", "25 / 250"),
        ("Ola Moe", "1920–1951", "1920", "1951", "97 / 250"),
    ),
    "ministers",
    "ministers.csv",
)


def view(question: str, table: Table) -> View:
    return View(ParsedQuestion(question), PreparedTable(table))


def texts(question: str, table: Table) -> set[str]:
    return {found.text for found in interpretations(view(question, table))}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # a people and its country, a result and its letter
        ("How many Italian riders are there?", "2"),
        ("Who is the only American rider?", "Di Marsh"),
        ("How many races were lost?", "3"),
        # ten years, and a century
        ("How many races were there in the 1990s?", "3"),
        ("How many races were there in the 1900's?", "5"),
        # a column that is empty, and one that is not
        ("How many riders have no remark?", "4"),
        ("How many riders have a remark?", "2"),
        # the number of a column
        ("Who has ten points?", "Bo Lund; Di Marsh"),
        # nearest to a date
        ("Who was the next rider after 1 January 1989?", "Cy Ferro"),
        ("Who was the previous rider before 1 January 1989?", "Bo Lund"),
        # those that the question does not name
        ("Ada Holm and which other rider is from Sweden?", "Flo Berg"),
        # rows in a row
        ("How many races were won in a row?", "2"),
        # more than a row, in a column that is not named
        ("How many riders scored more than Flo Berg?", "3"),
        # negated comparisons
        ("Which rider did not score more than 3 points?", "Cy Ferro"),
        ("Which rider is at the top?", "Ada Holm"),
        ("Which rider is at the bottom?", "Flo Berg"),
    ],
)
def test_races(question: str, answer: str) -> None:
    assert answer in texts(question, RACES)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How long was Ane Dahl in office?", "13"),
        ("How many years did Ola Moe serve?", "31"),
        ("Which minister had the most seats?", "Ane Dahl"),
        ("Did Ane Dahl have more or less seats than Per Vik?", "more"),
        ("Did Per Vik have more seats than Ola Moe?", "no"),
        ("What is the difference in seats between Ane Dahl and Ola Moe?", "37"),
    ],
)
def test_ministers(question: str, answer: str) -> None:
    assert answer in texts(question, MINISTERS)


def test_what_is_said_twice_is_a_number() -> None:
    seats = columns_of(MINISTERS)[4]
    assert seats.kind == "number"
    assert seats.values.tolist() == [134, 25, 97]
    lengths = Table(("Length",), (("832 mm / 32.8 in",), ("61 mm / 2.4 in",), ("7 mm, 3 parts",)))
    assert columns_of(lengths)[0].values.tolist() == [832, 61, 7]
    scores = Table(("Score",), (("3–1",), ("2–0",), ("4-1",)))
    assert columns_of(scores)[0].kind == "text"


def test_probabilities_of_answers_leave_room_for_none() -> None:
    for question in ("Which rider has the most points?", "Who?", "How many Italian riders are there?"):
        seen = view(question, RACES)
        found = confidences(seen, interpretations(seen))
        assert sum(probability for probability, _ in found) < 1
        assert [probability for probability, _ in found] == sorted((p for p, _ in found), reverse=True)
        assert len({each.text for _, each in found}) == len(found)


def test_of_a_large_table_only_what_is_named_is_looked_at() -> None:
    rows = tuple(
        (f"mill {number}", str(number), str(number % 7), str(number % 11)) for number in range(30_000)
    )
    seen = view("Which mill has the most sails?", Table(("Mill", "Sails", "Doors", "Floors"), rows))
    found = interpretations(seen)
    assert {each.columns[-1] for each in found if each.operation == "superlative"} == {1}
    assert "mill 29999" in {each.text for each in found}


def test_a_variant_keeps_what_was_found_of_the_table() -> None:
    seen = view("How many Italian riders are there?", RACES)
    assert len(seen.conditions) == 1
    other = seen.taken_otherwise([], {"text left out": 1.0})
    assert other.conditions == []
    assert np.array_equal(seen.rows_of(seen.conditions), [False, True, True, False, False, False])
    assert other.told["text left out"] == 1.0
    assert not other.guesses
    assert seen.guesses

"""Answers that hold together, in the order in which they are read."""

from __future__ import annotations

from caveat.core.answers import Answer, Condition, Place
from caveat.render.answer_tree import in_reading_order


def answer(text: str, start: int | None, *conditions: Condition, source: str = "a") -> Answer:
    place = None if start is None else Place(source, start, start + len(text))
    return Answer(text, "span", 0.5, place, conditions)


def test_unconditional_answers_first_then_each_condition_in_its_place() -> None:
    late, early = Condition("late", Place("a", 50, 54)), Condition("early", Place("a", 10, 15))
    three = answer("three", 60, late)
    both = answer("both", 55, early, late)
    two, one = answer("two", 70), answer("one", 5)
    four = answer("four", 20, early)
    assert in_reading_order([three, both, two, four, one]) == [[one, two], [four], [both], [three]]


def test_documents_have_an_order_too() -> None:
    here, there, nowhere = answer("here", 9), answer("there", 1, source="b"), answer("nowhere", None)
    assert in_reading_order([nowhere, there, here], ["a", "b"]) == [[here, there, nowhere]]
    assert in_reading_order([nowhere, there, here], ["b", "a"]) == [[there, here, nowhere]]
    assert in_reading_order([]) == []

"""The one reading of a question."""

from __future__ import annotations

import pytest

from caveat.answerers.contract import Asked
from caveat.core.records import Question
from caveat.language.question import Wanted, parse_question


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Can I take my dog on the ferry?", "yes or no"),
        ("我能申请吗？", "yes or no"),
        ("What are the rules for boats?", "list"),
        ("入会需要什么条件？", "list"),
        ("How do I apply for a permit?", "steps"),
        ("How many boats are there?", "amount"),
        ("会费是多少？", "amount"),
        ("When does the last ferry leave?", "date"),
        ("Where is the market held?", "place"),
        ("Who built the mill?", "person"),
        ("谁建造了磨坊？", "person"),
        ("What is a permit?", "definition"),
        ("Which colour has the door?", "span"),
    ],
)
def test_the_kind_of_answer_that_is_wanted(question: str, kind: Wanted) -> None:
    assert parse_question(Question(question)).kind == kind


def test_what_a_question_says() -> None:
    parsed = parse_question(Question("Hello, could you tell me how long Ada Finch kept 3 dogs in Leeds?"))
    assert parsed.text == "How long Ada Finch kept 3 dogs in Leeds?"
    assert parsed.asked.text.startswith("Hello")
    assert parsed.language == "en"
    assert parsed.words == ("long", "ada", "finch", "kept", "dog", "leed")
    assert parsed.names == ("Ada", "Finch", "Leeds")
    assert parsed.numbers == (3.0,)
    assert parsed.wants_quantity
    assert parse_question(Question("年假有几天？")).words == ("年假",)


def test_it_is_made_once_and_carried_along() -> None:
    parsed = parse_question(Question("Please tell me where I can swim."))
    asked: Asked[object] = Asked(parsed.meant, (), parsed=parsed)  # type: ignore[type-var]
    assert asked.parsed is parsed
    assert asked.of_kind(type(None)).parsed is parsed  # type: ignore[arg-type]
    # Taken at its word where nobody has read it.
    plain: Asked[object] = Asked(Question("Where can I swim?"), ())  # type: ignore[type-var]
    assert plain.parsed.meant is plain.question

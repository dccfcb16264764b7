"""Answers as a text, and back."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from caveat.benchmarks.conditionalqa.format import ConditionalAnswer, ConditionalDocument
from caveat.training.kinds.conditional.data import whole_page
from caveat.training.kinds.conditional.fusion import read_answers, written_answers

KEEP, RENT = "<li>you keep bees</li>", "<li>you rent your home</li>"
PAGE = whole_page(ConditionalDocument("", "u", ("<h1>Grant</h1>", KEEP, RENT)))


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ((), "NA"),
        ((ConditionalAnswer("yes"),), "yes :: NA"),
        ((ConditionalAnswer("£5", (KEEP, RENT)),), "£5 :: you keep bees ## you rent your home"),
        (
            (ConditionalAnswer("yes", (RENT,)), ConditionalAnswer("no")),
            "yes :: you rent your home && no :: NA",
        ),
    ],
)
def test_what_is_written_is_read_again(answers: tuple[ConditionalAnswer, ...], text: str) -> None:
    assert written_answers(answers, PAGE) == text
    assert read_answers(text, PAGE) == answers


def test_what_a_decoder_makes_of_it() -> None:
    # Blanks between signs, small letters, half a condition, one that the page does not have, an answer twice.
    assert read_answers(" yes : : you rent a home # # a large boat & & no : : na && YES", PAGE) == (
        ConditionalAnswer("yes", (RENT,)),
        ConditionalAnswer("no"),
    )
    assert read_answers("", PAGE) == ()
    assert read_answers(":: && na ::", PAGE) == ()

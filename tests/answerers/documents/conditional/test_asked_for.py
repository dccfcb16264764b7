from __future__ import annotations

import pytest

from caveat.answerers.documents.conditional.asked import Asked, asked_for


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Can I get the grant?", "yes or no"),
        ("Do I have to pay for the shed?", "yes or no"),
        ("If I move abroad, will I keep my garden?", "yes or no"),
        ("If I move will I keep my garden?", "yes or no"),
        ("I am 65. Am I too old for it?", "yes or no"),
        ("I would like to know whether I am eligible", "yes or no"),
        ("How much will I get?", "span"),
        ("If I apply today how long does it take?", "span"),
        ("Will it be paid to me or will it go to my landlord?", "span"),
        ("Is it paid at once or in instalments?", "span"),
        ("In which month does it begin?", "span"),
        ("What are the rules for sheds?", "list"),
        ("Which documents do I need?", "list"),
        ("What kind of help can I get?", "list"),
        ("Is there any help? What are the options?", "list"),
        ("the grant", "span"),
        ("", "span"),
        ("?", "span"),
    ],
)
def test_what_a_question_asks_for(question: str, asked: Asked) -> None:
    assert asked_for(question) == asked

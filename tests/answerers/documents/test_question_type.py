from __future__ import annotations

import pytest

from caveat.language.packs.en.question import QuestionType, question_type
from caveat.language.question import fits_question


@pytest.mark.parametrize(
    ("question", "type"),
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
def test_what_a_question_asks_for(question: str, type: QuestionType) -> None:
    assert question_type(question) == type


@pytest.mark.parametrize(
    ("question", "answer", "fits"),
    [
        ("How much is the fee?", "£20", 1.0),
        ("How much is the fee?", "a form", -1.0),
        ("How many hives can I keep?", "five", 1.0),
        ("When can I apply?", "in March", 1.0),
        ("Who can apply?", "if you rent a garden", -1.0),
        ("Who can apply?", "tenants", 0.0),
        ("Which hive is the oldest?", "the oldest hive", -1.0),
        ("Is it a hive or a box?", "a box", 0.0),
        ("可以养几箱蜂？", "三箱", 1.0),
        ("可以养几箱蜂？", "养蜂", -1.0),
        ("证件要办多久？", "20个工作日", 1.0),
        ("证件要办多久？", "办证大厅", -1.0),
        ("证件要办多少天？", "近30天", 1.0),
        ("何时可以申请？", "每年3月", 1.0),
        ("何时可以申请？", "申请人", -1.0),
        ("谁可以申请？", "可以申请", -1.0),
        ("谁可以申请？", "养蜂人", 0.0),
    ],
)
def test_whether_an_answer_looks_as_the_question_wants_it(question: str, answer: str, fits: float) -> None:
    assert fits_question(question, answer) == fits

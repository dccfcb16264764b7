"""Questions as people write them, and what they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caveat
from caveat.core.records import Question
from caveat.language.question_rewriting import plainly, tells_only
from caveat.sources.markdown import parse_markdown


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Can you please tell me how I can get new plates?", "How I can get new plates?"),
        ("can you give me an idea of how much it costs", "How much it costs?"),
        ("Hello, could you tell me if I can bring a dog?", "Can I bring a dog?"),
        ("Do you know whether the shop is open?", "Is the shop open?"),
        ("Please, I need to know the cost of a ticket", "What is the cost of a ticket?"),
        ("Would you send me some information about otters?", "some information about otters?"),
        ("I wonder why the sky is blue. Thanks in advance!", "Why the sky is blue?"),
        ("请问，年假有几天？", "年假有几天？"),
        ("您好！我想问一下押金怎么退吗？谢谢", "押金怎么退？"),
        ("能告诉我年假有几天吗？", "年假有几天？"),
    ],
)
def test_politeness_is_left_out(asked: str, meant: str) -> None:
    assert plainly(Question(asked)).text == meant
    assert plainly(Question(asked)).scenario == ""


@pytest.mark.parametrize(
    ("asked", "meant", "told"),
    [
        ("I have lost my card. Can I still travel?", "Can I still travel?", "I have lost my card."),
        ("I rent a flat, and I wanted to know if I can sublet", "Can I sublet?", "I rent a flat"),
        ("我交了七年保险。可以领多久？", "可以领多久？", "我交了七年保险。"),
    ],
)
def test_what_is_told_first_is_the_scenario(asked: str, meant: str, told: str) -> None:
    assert plainly(Question(asked)) == Question(meant, told, plainly(Question(asked)).spoken)
    known = plainly(Question(asked, "I am 34." if told.isascii() else "我三十四岁。"))
    assert known.scenario.startswith(told)
    assert "34" in known.scenario or "三十四" in known.scenario


@pytest.mark.parametrize(
    "asked",
    [
        "What is the fee?",
        "Can you park here?",
        "Otters swim. Do they eat fish?",
        "I have a dog. Can it come in?",
        "Is it open? Is it free?",
        "Hello",
        "?",
        "年假有几天？",
        "你好",
    ],
)
def test_what_is_plain_stays(asked: str) -> None:
    question = Question(asked, "I am 34." if asked.isascii() else "我三十四岁。")
    assert plainly(question) is question


@given(st.text(max_size=80), st.text(max_size=40))
def test_there_is_always_a_question(asked: str, told: str) -> None:
    meant = plainly(Question(asked, told))
    assert bool(meant.text.strip()) == bool(asked.strip())
    assert plainly(meant).text.strip()[:1] == meant.text.strip()[:1] or meant.text


def test_replies_are_to_the_question_as_it_was_asked() -> None:
    page = parse_markdown("# Bus\n\nA ticket costs 3 euros.\n\nDogs are not allowed on the bus.\n")
    asked = "Hello, can you tell me how much a ticket costs?"
    reply = caveat.ask(asked, page)
    assert reply.question == Question(asked)
    assert reply.answers[0].text == "3 euros"
    (other,) = caveat.load().ask_many([(asked, page)])
    assert other == reply


@pytest.mark.parametrize(
    "text",
    [
        "I am 34.",
        "I'm a student",
        "And my dog is three years old.",
        "We rent. We have a child.",
        "我今年34岁。",
        "我有学生证",
    ],
)
def test_what_tells_of_the_asker_only(text: str) -> None:
    assert tells_only(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Can I apply?",
            "I am 34. Can I apply?",
            "I want to know how I can apply",
            "I wonder if I can apply",
        ),
        *("the opening hours", "我能申请吗", "我要多少钱", "我想问一下怎么申请", "开放时间", "Is it far?"),
    ],
)
def test_what_asks_is_not_only_told(text: str) -> None:
    assert not tells_only(text)

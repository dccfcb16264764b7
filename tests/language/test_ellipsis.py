"""Follow-up questions as people ask them, after the question that they are asked after."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.ellipsis import completed


@pytest.mark.parametrize(
    ("before", "line", "question"),
    [
        # A part of the same kind is replaced, with its preposition.
        ("How long does the crossing take in summer?", "And in winter?", "How long does the crossing take in winter?"),
        ("Is the mill open on Mondays?", "What about Sundays?", "Is the mill open on Sundays?"),
        ("Is the mill open in May?", "And on Sundays?", "Is the mill open in May on Sundays?"),
        ("What does a ticket for adults cost?", "And children?", "What does a ticket for children cost?"),
        ("What was the rent in 2019?", "and in 2021", "What was the rent in 2021?"),
        ("What does a pass for 3 days cost?", "How about 7 days?", "What does a pass for 7 days cost?"),
        ("Does it run on 3 May?", "And on 24 December?", "Does it run on 24 December?"),
        # There is none: it is added.
        ("How long does the crossing take?", "And in winter?", "How long does the crossing take in winter?"),
        ("How long does the crossing take?", "What about winter?", "How long does the crossing take in winter?"),
        ("What does a ticket cost?", "What about students?", "What does a ticket cost for students?"),
        ("When does the mill close in Arvo?", "But in December?", "When does the mill close in Arvo in December?"),
        # The same preposition.
        ("How do I get a permit in Arvo?", "And in Lindholm?", "How do I get a permit in Lindholm?"),
        ("How do I get a permit?", "And for a boat?", "How do I get a permit for a boat?"),
        # The noun phrase that is most like it.
        ("How long does the ferry take?", "And the train?", "How long does the train take?"),
        ("Does the ferry take dogs?", "What about bicycles?", "Does the ferry take bicycles?"),
        ("Can I bring a dog on the ferry?", "What about a cat?", "Can I bring a cat on the ferry?"),
        ("How much does a day ticket cost?", "And a week ticket?", "How much does a week ticket cost?"),
        ("Who founded Harrow Mill?", "And Elm Lodge?", "Who founded Elm Lodge?"),
        ("When does the first ferry leave?", "And the last one?", "When does the last ferry leave?"),
        ("Is the museum open on Mondays?", "How about the library?", "Is the library open on Mondays?"),
        ("Who rents the largest plot?", "And the smallest?", "Who rents the smallest plot?"),
        ("Can I get the garden grant?", "What about the shed grant?", "Can I get the shed grant?"),
        ("Is parking free?", "And camping?", "Is camping free?"),
        # Another question word.
        ("Where can I pay the fine?", "And when?", "When can I pay the fine?"),
        ("Can I appeal?", "How?", "How can I appeal?"),
        # What is supposed of others than the asker.
        ("Does the ferry run?", "And if it storms?", "Does the ferry run if it storms?"),
        ("夏天开放到几点？", "那冬天呢？", "冬天开放到几点？"),
        ("开放到几点？", "那冬天呢", "冬天开放到几点？"),
        ("开放到几点？", "如果是周末呢？", "周末开放到几点？"),
        ("成人票多少钱？", "儿童票呢？", "儿童票多少钱？"),
        ("门票多少钱？", "那学生呢？", "学生门票多少钱？"),
        ("老人可以免费吗？", "学生呢？", "学生可以免费吗？"),
        ("可以带狗吗？", "那猫呢？", "可以带猫吗？"),
        ("怎么申请护照？", "签证呢？", "怎么申请签证？"),
        ("邮局几点开门？", "那银行呢？", "银行几点开门？"),
        ("在北京怎么停车？", "那在上海呢？", "在上海怎么停车？"),
        ("几点关门？", "在南门呢？", "在南门几点关门？"),
        ("可以退票吗？", "要是下雨呢？", "如果下雨，可以退票吗？"),
    ],
)  # fmt: skip
def test_a_part_completes_the_question_before(before: str, line: str, question: str) -> None:
    found = completed(line, before)
    assert found is not None
    assert found == (question, "")


@pytest.mark.parametrize(
    ("before", "line", "told"),
    [
        ("Can I get the grant?", "What if I am 70?", "I am 70."),
        ("Can I get the grant?", "and if my garden is small", "My garden is small."),
        ("我能申请吗？", "如果我有学生证呢？", "我有学生证。"),
    ],
)
def test_what_is_supposed_of_the_asker_is_told(before: str, line: str, told: str) -> None:
    assert completed(line, before) == (before, told)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("How long does the crossing take?", "And how much does it cost?"),
        ("How long does the crossing take?", "Who is the captain?"),
        ("How long does the crossing take?", "And I am 34."),
        ("How long does the crossing take?", "And when?"),
        ("How long does the crossing take?", "And the people who came with the last ship of the year?"),
        ("How long does the crossing take?", "那冬天呢？"),
        ("夏天开放到几点？", "那门票多少钱？"),
        ("夏天开放到几点？", "这是怎么回事呢？"),
        ("夏天开放到几点？", "那我呢？"),
        ("", "And in winter?"),
    ],
)
def test_what_stands_by_itself_is_left(before: str, line: str) -> None:
    assert completed(line, before) is None


def test_parts_are_replaced_one_after_the_other() -> None:
    question = "What does a ticket for adults cost in summer?"
    for line in ("And in winter?", "What about children?"):
        found = completed(line, question)
        assert found is not None
        question = found.question
    assert question == "What does a ticket for children cost in winter?"


WORDS = st.sampled_from(
    [
        *(
            "the",
            "ferry",
            "a",
            "dog",
            "in",
            "winter",
            "take",
            "for",
            "adults",
            "Arvo",
            "and",
            "what",
            "about",
        ),
        *("if", "I", "3", "冬天", "票", "在", "那", "呢", "，", "?"),
    ]
)


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=8))
def test_nothing_breaks_it_and_what_is_completed_asks(line: list[str], before: list[str]) -> None:
    found = completed(" ".join(line), " ".join(before))
    assert found is None or (found.question.endswith(("?", "？")) and len(found.question) > 1)

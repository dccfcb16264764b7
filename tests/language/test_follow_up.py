"""Conditions as questions to the asker."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.follow_up import follow_up, inquiry
from caveat.language.packs.en.introduction import stem_of
from caveat.language.packs.en.vocabulary import verbs


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("you’re arranging a party in the park", "Are you arranging a party in the park?"),
        ("your partner gets a pension", "Does your partner get a pension?"),
        ("over 60", "Are you over 60?"),
        ("You had to close your shop", "Did you have to close your shop?"),
        ("you've lived here for 3 years", "Have you lived here for 3 years?"),
        ("you have a key", "Do you have a key?"),
        ("you have settled status", "Do you have settled status?"),
        ("your boat’s been sold", "Has your boat been sold?"),
        ("it’s being moved more than 50 miles", "Is it being moved more than 50 miles?"),
        ("the person who died had savings", "Did the person who died have savings?"),
        ("one of you has reached the age of 66", "Has one of you reached the age of 66?"),
        ("your neighbour works and pays rent", "Does your neighbour work and pay rent?"),
        ("you did business with them", "Did you do business with them?"),
        ("there’s a fence", "Is there a fence?"),
        ("your other benefits stop", "Do your other benefits stop?"),
        ("you yodel", "Do you yodel?"),
        ("a member of a club", "Are you a member of a club?"),
        ("registered blind", "Are you registered blind?"),
        ("live in Brookshire", "Do you live in Brookshire?"),
        ("you already keep bees", "Do you already keep bees?"),
        ("you can swim - ask at the pool", "Can you swim?"),
        ("you will be away, and", "Will you be away?"),
        ("if you agree", "Do you agree?"),
        ("blue velvet", 'Does this apply: "blue velvet"?'),
    ],
)
def test_a_clause_or_a_phrase_about_the_asker(text: str, question: str) -> None:
    assert inquiry(text) == (question, False)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("you do not smoke", "Do you smoke?"),
        ("you don’t own a car", "Do you own a car?"),
        ("repairs are not done", "Are repairs done?"),
        ("you cannot walk", "Can you walk?"),
        ("the estate can’t or doesn’t pay", "Does the estate pay?"),
        ("you have no savings", "Do you have any savings?"),
        ("not be a member", "Are you a member?"),
    ],
)
def test_a_denial_is_asked_without_it(text: str, question: str) -> None:
    assert inquiry(text) == (question, True)
    assert follow_up(text) == question


@pytest.mark.parametrize(
    ("text", "introduction", "question"),
    [
        ("live in Brookshire", "You must:", "Do you live in Brookshire?"),
        ("be 18 or over", "To join, you must:", "Are you 18 or over?"),
        ("have paid your fees", "The club must:", "Has the club paid your fees?"),
        ("be full-time", "Your course must:", "Is your course full-time?"),
        ("a nurse", "You must be one of the following:", "Are you a nurse?"),
        ("the parish", "You’ll also need to live in:", "Do you live in the parish?"),
        ("Blue Card", "You (or your partner) must get one or more of these benefits:", None),
        ("is born early", "You can claim if your calf:", "Is your calf born early?"),
        ("lost your ticket", "It can take longer if you have:", "Have you lost your ticket?"),
        ("kept bees", "You can stay if, before 15 May 2019, you:", "Did you keep bees before 15 May 2019?"),
        ("bees", "You can get it if you’re well and you were stung by any of the following:", None),
        (
            "a Blue Card",
            "You must have had one of these for 6 months:",
            "Have you had a Blue Card for 6 months?",
        ),
        ("you’re well", "You can come if all of the following apply:", "Are you well?"),
    ],
)
def test_an_item_completes_what_introduces_it(text: str, introduction: str, question: str | None) -> None:
    expected = {
        "Blue Card": "Do you (or your partner) get Blue Card?",
        "bees": "Were you stung by bees?",
    }
    assert follow_up(text, introduction) == (question or expected[text])


def test_the_stem_is_what_the_items_share() -> None:
    assert stem_of("You can get it if you live in any of the following:") == "you live in"
    assert stem_of("You can get it if all of the following apply:") == ""
    assert stem_of("It rains. You need to be:") == "You must be"


def test_chinese_is_asked_plainly() -> None:
    assert follow_up("如果您患有糖尿病") == "您是否患有糖尿病？"
    assert follow_up("超过六十岁时") == "是否超过六十岁？"
    assert follow_up("叶子发黄的话") == "以下情况是否属实：叶子发黄？"


def test_verb_forms_are_spelt_as_they_should() -> None:
    known = verbs()
    assert known.third_persons["carries"] == "carry"
    assert known.pasts["stopped"] == "stop"
    assert known.gerunds["describing"] == "describe"
    assert known.gerunds["dying"] == "die"
    assert known.participles["driven"] == "drive"


@given(st.text(max_size=80), st.text(max_size=60))
def test_anything_can_be_asked_for(text: str, introduction: str) -> None:
    assert follow_up(text, introduction).endswith(("?", "？"))


COMMON = (
    "you",
    "your",
    "the",
    "if",
    "not",
    "must",
    "is",
    "are",
    "have",
    "got",
    "gets",
    "and",
    "or",
    "of",
    ",",
    ":",
    "who",
)


@given(st.lists(st.sampled_from(COMMON)))
def test_any_order_of_common_words_can_be_asked_for(words: list[str]) -> None:
    text = " ".join(words)
    assert follow_up(text, text).endswith("?")

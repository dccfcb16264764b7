"""The kind of answer that a question wants, told by its wording."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.question_kind import KINDS, KindWeights, cues_of, question_kind


@pytest.mark.parametrize(
    "question",
    [
        "can I bring my dog to the pool",
        "Is the parking free on Sundays?",
        "my card was stolen, do I still have to pay the annual fee?",
        "dogs allowed on the ferry?",
        "我可以带狗去游泳馆吗",
        "护照过期了还能不能延期",
        "護照到期了可以延期嗎",
        "没有预约也让进不",
        "学生证丢了，是不是要先登报",
    ],
)
def test_yes_or_no_is_told_by_more_than_a_question_word(question: str) -> None:
    language = "en" if question.isascii() else "zh"
    assert question_kind(question, language) == "yes or no"


@pytest.mark.parametrize(
    "question",
    [
        "how much is a day ticket",
        "When does the office open on Saturdays?",
        "who do I have to ask before I book a flight",
        "一张日票多少钱",
        "周六几点开门",
        "押金什么时候退",
    ],
)
def test_a_question_for_one_thing(question: str) -> None:
    assert question_kind(question, "en" if question.isascii() else "zh") == "span"


@pytest.mark.parametrize(
    "question", ["What documents do I need to bring?", "报名需要带哪些材料", "申请分哪几步"]
)
def test_a_question_for_several_things(question: str) -> None:
    assert question_kind(question, "en" if question.isascii() else "zh") == "list"


def test_cues_are_the_beginnings_and_ends_of_clauses_and_what_lies_between() -> None:
    assert {"^ is it", "it open", "$", "<is it", "?"} <= cues_of("Is it open?", "en")
    assert {"^买", "能退吗", "吗$", "<能", "吗>", "票>"} <= cues_of("买了票，能退吗？", "zh")


def test_the_scores_are_sums_over_known_cues() -> None:
    weights = KindWeights({}, (0.5, 0.0, -0.5), {"can i": (0.0, 0.0, 2.0), "^ can": (0.0, 1.0, 1.0)})
    assert weights.scores("Can I swim", "en") == [0.5, 1.0, 2.5]
    assert weights.scores("zebra", "en") == [0.5, 0.0, -0.5]


@given(st.text(max_size=600), st.sampled_from(["en", "zh"]))
def test_any_text_has_a_kind(text: str, language: str) -> None:
    assert question_kind(text, language) in KINDS  # type: ignore[arg-type]

"""Questions with another's name, which their passage does not answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.training.kinds.reader.synthetic import exchanged


def passage(text: str, *questions: str, title: str = "") -> Passage:
    asked = (PassageQuestion(question, question, ((GoldSpan(text[:2], 0),),)) for question in questions)
    return Passage(text, tuple(asked), title=title)


def made(*passages: Passage) -> list[list[str]]:
    found = list(exchanged(passages, 1))
    assert not any(question.answerable for each in found for question in each.questions)
    return [[question.text for question in each.questions] for each in found]


def test_a_name_is_exchanged_for_one_of_an_earlier_passage() -> None:
    assert made(
        passage("Ada Finch built a mill.", "What did Ada Finch build?"),
        passage("Tom Reed was born in Leeds.", "Where was Tom Reed born?", "where is it"),
    ) == [["Where was Ada Finch born?"]]


def test_a_name_that_the_passage_has_is_not_taken() -> None:
    ada = passage("Ada Finch built a mill.", "What did Ada Finch build?")
    assert made(ada, passage("Tom Reed, no Finch, was born.", "Where was Tom Reed born?")) == []


def test_a_name_that_the_passage_does_not_have_stays() -> None:
    ada = passage("Ada Finch built a mill.", "What did Ada Finch build?")
    assert made(ada, passage("He was born in Leeds.", "Where was Tom Reed born?")) == []


def test_in_chinese_it_is_what_the_passage_is_about_or_a_title() -> None:
    assert made(
        passage("范廷颂生于1919年。", "范廷颂哪年出生？", title="范廷颂"),
        passage("岬太郎是足球员。", "岬太郎是什么人？", title="岬太郎 (虚构人物)"),
        passage("电影《无间道》很红。", "《无间道》是什么？"),
        passage("他住在杭州。", "他住在哪里？", title="某人"),
    ) == [["范廷颂是什么人？"], ["《范廷颂》是什么？"]]


def test_in_chinese_else_it_is_what_question_and_passage_share() -> None:
    assert made(
        passage("去岛上的渡船早上七点离开。", "渡船几点离开？"),
        passage("这座石塔有214级台阶。", "石塔的台阶有多少级？"),
    ) == [["渡船的台阶有多少级？"]]


@given(st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=5))
def test_any_text_will_do(parts: list[tuple[str, str, str]]) -> None:
    for each in exchanged([passage(text, question, title=title) for text, question, title in parts], 1):
        assert each.questions

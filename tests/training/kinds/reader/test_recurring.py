"""Questions that a text asks of itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.shared.passage import Passage
from caveat.training.kinds.reader.recipe import ReaderDataSet
from caveat.training.kinds.reader.synthetic import recurring

BRIDGE = "清水镇有一座青石桥。渡口早已废弃！人们过河都走青石桥，不再等船。"


def asked(text: str, seed: int = 1) -> list[tuple[str, str, str]]:
    """Question, answer and text of what is made of a text."""
    made = []
    for passage in recurring([Passage(text, ())], seed):
        (question,) = passage.questions
        gold = question.answers[0][0]
        assert passage.text[gold.start : gold.end] == gold.text
        made.append((question.text, gold.text, passage.text))
    return made


def test_what_is_said_twice_is_hidden_in_one_sentence_and_looked_for_in_the_other() -> None:
    first = ("清水镇有一座什么？", "青石桥", "渡口早已废弃！人们过河都走青石桥，不再等船。")
    second = ("人们过河都走什么，不再等船？", "青石桥", "清水镇有一座青石桥。渡口早已废弃！")
    made = {one for seed in range(20) for one in asked(BRIDGE, seed)}
    assert made == {first, second}


def test_of_phrases_within_each_other_the_longest_is_asked_for() -> None:
    assert {answer for _, answer, _ in asked(BRIDGE)} == {"青石桥"}


def test_a_phrase_that_stands_in_one_sentence_only_or_in_three_is_not_asked_for() -> None:
    assert asked("青石桥就是青石桥。") == []
    assert asked("去青石桥。到青石桥。看青石桥。") == []


def test_what_many_passages_repeat_belongs_to_the_language() -> None:
    passages = [Passage(f"第{sign}章特别重要。本书特别难懂。", ()) for sign in "甲乙丙丁"]
    assert list(recurring(passages, 1)) == []
    assert len(list(recurring(passages[:2], 1))) == 2


def test_english() -> None:
    text = "The Old Mill burned down. Nobody rebuilt the Old Mill."
    made = {one for seed in range(20) for one in asked(text, seed)}
    assert ("The what burned down?", "Old Mill", " Nobody rebuilt the Old Mill.") in made


def test_a_passage_gives_a_few_questions_and_the_same_seed_the_same() -> None:
    names = ["青石桥", "白云塔", "红木亭", "黄土坡", "绿水湾", "黑松林", "紫竹院", "蓝田寺"]
    text = "".join(f"{name}甲。" for name in names) + "".join(f"乙{name}。" for name in names)
    assert len(asked(text)) == 6
    assert asked(text, 3) == asked(text, 3)
    assert asked(text, 3) != asked(text, 4)


def test_a_file_may_be_in_a_recipe_twice() -> None:
    asked, recurring = ReaderDataSet(path="a.json"), ReaderDataSet(path="a.json", questions="recurring")
    assert asked.key == "a.json"
    assert recurring.key == "a.json (recurring)"


@given(st.text("桥塔亭的了a1 。，！\n", max_size=80))
def test_any_text(text: str) -> None:
    for question, answer, rest in asked(text):
        assert answer in rest
        assert len(rest) < len(text)
        assert question

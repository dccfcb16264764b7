"""Questions that no annotator wrote: on what a text says twice, and on triples put into words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.nlpcc.kbqa_format import KbqaQuestion
from caveat.benchmarks.shared.passage import Passage
from caveat.core.answers import Triple
from caveat.core.errors import InputError
from caveat.training.kinds.reader.recipe import ReaderDataSet
from caveat.training.kinds.reader.synthetic import read_verbalised, recurring, verbalised
from caveat.training.recipe import load_recipe

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


STONE_BRIDGE = Triple("青石桥（清水镇的桥）", "长度", "46米")
TRIPLES = [
    STONE_BRIDGE,
    Triple("青石桥（清水镇的桥）", "建成年份", "1902年"),
    Triple("红木桥", "长度", "12米"),
    Triple("红木桥", "材料", "松木"),
    Triple("白云塔", "高度", "30米"),
]
ASKED = KbqaQuestion("1", "青石桥有多长？", ("46米",), "青石桥（清水镇的桥） ||| 长度 ||| 46米")


@given(seed=st.integers(0, 500))
def test_the_answer_stands_where_the_passage_says(seed: int) -> None:
    (passage,) = verbalised([ASKED], TRIPLES, seed)
    (question,) = passage.questions
    gold = question.answers[0][0]
    assert question.text == ASKED.question
    assert passage.text[gold.start : gold.end] == gold.text == "46米"
    assert "长度" in passage.text
    assert "青石桥" in passage.text
    assert "清水镇" not in passage.text  # tells namesakes apart, and no text says it


@given(seed=st.integers(0, 500))
def test_the_answer_is_told_once(seed: int) -> None:
    (passage,) = verbalised([ASKED], TRIPLES, seed)
    assert passage.text.count("46米") == 1


def test_a_thing_of_which_one_fact_is_known_is_told_others_of_its_sort() -> None:
    lonely = KbqaQuestion("2", "红木桥有多长？", (), "红木桥 ||| 长度 ||| 12米")
    triples = [Triple("红木桥", "长度", "12米"), STONE_BRIDGE, TRIPLES[1]]
    texts = {passage.text for seed in range(30) for passage in verbalised([lonely], triples, seed)}
    assert any("1902年" in text for text in texts)


def test_the_same_seed_tells_the_same() -> None:
    assert list(verbalised([ASKED], TRIPLES, 7)) == list(verbalised([ASKED], TRIPLES, 7))
    assert len({passage.text for seed in range(20) for passage in verbalised([ASKED], TRIPLES, seed)}) > 1


def test_questions_without_a_fact_are_left_out() -> None:
    without = KbqaQuestion("3", "谁？")
    malformed = KbqaQuestion("4", "谁？", triple="青石桥 ||| 长度")
    endless = KbqaQuestion("5", "什么？", triple="青石桥 ||| 简介 ||| " + "长" * 100)
    assert list(verbalised([without, malformed, endless], TRIPLES, 1)) == []


def test_from_files(tmp_path: Path) -> None:
    (tmp_path / "asked").write_text(
        f"<question id=1>\t{ASKED.question}\n<triple id=1>\t{ASKED.triple}\n<answer id=1>\t46米\n{'=' * 50}\n",
        "utf-8",
    )
    lines = [" ||| ".join((t.subject, t.predicate, t.object)) for t in TRIPLES]
    (tmp_path / "facts.kb").write_text("\n".join([*lines, "no triple"]) + "\n", "utf-8")
    (passage,) = read_verbalised(tmp_path / "asked", tmp_path / "facts.kb", 1)
    assert "46米" in passage.text


@pytest.mark.parametrize("change", ['data.0.format="kbqa"', 'data.0.triples="facts.kb"'])
def test_a_recipe_names_questions_and_facts_together(change: str) -> None:
    with pytest.raises(InputError, match="needs `triples`"):
        load_recipe("reader-zh", [change])

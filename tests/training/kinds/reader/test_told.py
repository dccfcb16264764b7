"""Triples put into words as passages for a reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.nlpcc.kbqa.format import KbqaQuestion
from caveat.core.errors import InputError
from caveat.core.records import Triple
from caveat.training.kinds.reader.synthetic import read_verbalised, verbalised
from caveat.training.recipe import load_recipe

BRIDGE = Triple("青石桥（清水镇的桥）", "长度", "46米")
TRIPLES = [
    BRIDGE,
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
    triples = [Triple("红木桥", "长度", "12米"), BRIDGE, TRIPLES[1]]
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

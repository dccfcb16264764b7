from __future__ import annotations

from pathlib import Path

import pytest

from caveat.answerers.knowledge.matching import MATCHING, read_matching
from caveat.answerers.knowledge.steps import find_answers
from caveat.benchmarks.nlpcc.kbqa_analysis import by_hash, held_out
from caveat.benchmarks.nlpcc.kbqa_format import KbqaQuestion, read, write
from caveat.library.triples.build import open_knowledge
from caveat.training.kinds.matching.fit import WithoutEntity, fit_matching, masked, word_counts
from caveat.training.kinds.matching.matcher import MatchingData, MatchingRecipe
from caveat.training.recipe import load_recipe

# What a question may say for each predicate: never its own characters for the price and the height.
ASKED = {
    "作者": ("{}的作者是谁？", "{}是谁写的？", "谁写了{}？"),
    "定价": ("{}多少钱？", "买{}要花多少钱？", "{}卖多少钱？"),
    "出版社": ("{}是哪个出版社出版的？", "{}的出版社是哪家？", "哪家出版社出了{}？"),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    lines: list[str] = []
    questions: list[KbqaQuestion] = []
    for book in range(40):
        name = f"{'山水花鸟风云日月'[book % 8]}{'春夏秋冬晨'[book // 8]}集"
        facts = {
            "作者": f"周{'一二三四五六七八'[book % 8]}",
            "定价": f"{book + 10}元",
            "出版社": f"东{book}书局",
        }
        for number, (predicate, value) in enumerate(facts.items()):
            lines.append(f"{name} ||| {predicate} ||| {value}")
            form = ASKED[predicate][(book + number) % 3].format(name)
            triple = f"{name} ||| {predicate} ||| {value}"
            questions.append(KbqaQuestion(str(len(questions)), form, (value,), triple))
    (folder / "books.kb").write_text("\n".join(lines), encoding="utf-8")
    write(folder / "books.kbqa", questions)
    return folder


def test_a_recipe_gives_a_model_that_answers_what_it_has_not_seen(root: Path, tmp_path: Path) -> None:
    recipe = MatchingRecipe(
        kind="matching",
        data=(MatchingData(path="books.kbqa", held_out=20, weighed=40),),
        base="books.kb",
        distractors=0,
    )
    notes: list[str] = []
    tables = fit_matching(recipe, tmp_path, data_root=root, note=notes.append)
    rows = tables["20 questions held out"]
    assert rows["fitted"]["questions"] == 20
    assert rows["fitted"]["accuracy@1"] >= 90
    # 多少钱 shares nothing with 定价.
    assert rows["fitted"]["accuracy@1"] > rows["longest name, shared characters"]["accuracy@1"]
    model = read_matching(tmp_path / MATCHING)
    assert 0 <= model.threshold <= 1
    base = open_knowledge(root / "books.kb")
    found, none = find_answers("水冬集卖多少钱？", base, model)
    assert found[0].values == ("35元",)
    assert found[0].probability > none
    assert sum(each.probability for each in found) + none == pytest.approx(1)


def test_held_out_questions_depend_on_their_text_alone(root: Path) -> None:
    questions = list(read(root / "books.kbqa"))
    chosen = held_out(questions, 10)
    assert [each.question for each in held_out(questions[::-1], 10)] == [each.question for each in chosen]
    assert by_hash(questions)[:10] == chosen


def test_masked_questions_and_their_words(root: Path) -> None:
    found, left_out = masked(
        [
            KbqaQuestion("1", "《山春集》多少钱？", ("10元",), "山春集（诗集） ||| • 定 价： ||| 10元"),
            KbqaQuestion("2", "这本书多少钱？", ("10元",), "山春集 ||| 定价 ||| 10元"),
            KbqaQuestion("3", "没有三元组？", ("10元",)),
        ]
    )
    assert [tuple(each) for each in found] == [("□多少钱?", "定价")]
    assert left_out == 2
    counts = word_counts(found * 30)
    assert counts.questions == 30
    assert counts.units["钱"] == 30
    assert counts.stretches["多少钱"] == 30
    assert counts.commonness("多少钱") > counts.commonness("山春集") == 0


def test_a_store_that_lacks_an_entity_finds_its_likes(tmp_path: Path) -> None:
    lines = "青石桥 ||| 长度 ||| 46米\n红石桥 ||| 长度 ||| 30米\n青石桥（小说） ||| 作者 ||| 秦婉\n石 ||| 部首 ||| 石\n"
    (tmp_path / "bridges.kb").write_text(lines, encoding="utf-8")
    store = open_knowledge(tmp_path / "bridges.kb")
    question = "青石桥有多长？"
    # Another thing of the name is left; without that, one whose name is like it.
    assert [each.entities for each in WithoutEntity(store, "青石桥").mentions(question)] == [
        ("青石桥（小说）",),
        ("石",),
    ]
    red = WithoutEntity(store, "石").mentions("白石桥有多长？")
    assert {(each.text, each.entities, each.misspelt) for each in red} == {
        ("白石桥", ("红石桥",), True),
        ("白石桥", ("青石桥", "青石桥（小说）"), True),
    }
    assert WithoutEntity(store, "青石桥").attributes("青石桥") == ()
    assert len(WithoutEntity(store, "青石桥").attributes("红石桥")) == 1


def test_the_shipped_recipe_is_sound() -> None:
    recipe = load_recipe("match-zh-lexical")
    assert isinstance(recipe, MatchingRecipe)
    assert recipe.data[0].held_out == 2000

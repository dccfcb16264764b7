"""Questions for a place in other words, and questions from an object to its subject."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.answerers.knowledge.matching import embedded_matching
from caveat.answerers.knowledge.steps import Backwards, asked_backwards, asked_where, find_answers
from caveat.library.triples import store
from caveat.library.triples.build import build_index
from caveat.library.triples.store import KnowledgeStore

BASE = """\
东湖大学 ||| 主管部门 ||| 教育部
东湖大学 ||| 所在地 ||| 江州
东湖大学 ||| 学校类型 ||| 综合
西岭博物馆 ||| 馆长 ||| 周敏
西岭博物馆 ||| 地址 ||| 白石市中山路8号
赵启明 ||| 妻子 ||| 林若
赵启明 ||| 出生地 ||| 南浦
林若 ||| 父亲 ||| 林远山
甲国 ||| 首都 ||| 白城
甲国 ||| 货币 ||| 金元
乙国 ||| 货币 ||| 金元
白城 ||| 人口 ||| 210万
望星空 ||| 作者 ||| 秦婉、王蓉
Arvonia ||| capital ||| Skarn
Arvonia ||| currency ||| Crown
Belmora ||| currency ||| Crown
Ada Lindholm ||| spouse ||| Erik Falk
Skarn ||| population ||| 2 million
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeStore:
    folder: Path = tmp_path_factory.mktemp("asking")
    (folder / "small.kb").write_text(BASE, encoding="utf-8")
    build_index([folder / "small.kb"], folder / "index")
    return KnowledgeStore.open(folder / "index")


def best(question: str, base: KnowledgeStore) -> tuple[str, ...]:
    found, none = find_answers(question, base, embedded_matching())
    return found[0].values if found and found[0].probability > none else ()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("东湖大学在哪个城市？", "江州"),
        ("东湖大学位于哪里？", "江州"),
        ("东湖大学坐落在哪座城市？", "江州"),
        ("西岭博物馆在哪个城市？", "白石市中山路8号"),
        # The base has something closer.
        ("赵启明出生在哪个城市？", "南浦"),
    ],
)
def test_a_city_is_where_something_is(base: KnowledgeStore, question: str, answer: str) -> None:
    assert best(question, base) == (answer,)


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("哪个国家的首都是白城？", ("甲国",)),
        ("白城是哪个国家的首都？", ("甲国",)),
        ("谁的妻子是林若？", ("赵启明",)),
        ("请问林若是谁的妻子？", ("赵启明",)),
        ("哪些国家的货币是金元？", ("甲国", "乙国")),
        # One of several.
        ("哪本书的作者是秦婉？", ("望星空",)),
        ("Whose capital is Skarn?", ("Arvonia",)),
        ("Which country's capital is Skarn?", ("Arvonia",)),
        ("What country is Skarn the capital of?", ("Arvonia",)),
        ("Skarn is the capital of which country?", ("Arvonia",)),
        ("Which countries have the currency Crown?", ("Arvonia", "Belmora")),
        # In other words than the predicate's.
        ("Whose wife is Erik Falk?", ("Ada Lindholm",)),
        # Nothing is known of that.
        ("谁的老师是林若？", ()),
        ("Whose rival is Skarn?", ()),
    ],
)
def test_from_an_object_to_its_subjects(
    base: KnowledgeStore, question: str, subjects: tuple[str, ...]
) -> None:
    assert set(best(question, base)) == set(subjects)


def test_a_large_base_is_not_looked_through(base: KnowledgeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_LOOKED_THROUGH", 3)
    assert base.triples_to("白城") == ()


def test_the_forms_of_questions() -> None:
    assert asked_backwards("谁的妻子是《林若》？") == Backwards("妻子", "林若")
    assert asked_backwards("甲国的首都是哪里？") is None
    assert asked_backwards("What is the capital of Arvonia?") is None
    assert asked_where("东湖大学位于哪座城市？") == "东湖大学在哪里？"
    assert asked_where("东湖大学有多少学生？") is None

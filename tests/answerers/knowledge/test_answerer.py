from __future__ import annotations

from pathlib import Path

import pytest

from caveat.answerers.contract import Asked
from caveat.answerers.knowledge.answerer import KnowledgeAnswerer, PreparedBase
from caveat.core.answers import Answer, Place, Triple
from caveat.core.errors import CaveatError
from caveat.core.records import KnowledgeBase, Question, Reply, from_json, to_json
from caveat.render.terminal import reply_tree

TRIPLES = """\
青石桥 ||| 设计者 ||| 秦婉，王蓉
青石桥 ||| 长度 ||| 46米
秦婉 ||| 妻子 ||| 林若
清水河 ||| 支流 ||| 小清河
清水河 ||| 支流 ||| 北沟
林若 ||| 父亲 ||| 林远山
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> PreparedBase:
    file = tmp_path_factory.mktemp("bridges") / "bridges.kb"
    file.write_text(TRIPLES, encoding="utf-8")
    base = KnowledgeAnswerer().prepare(KnowledgeBase(str(file)))
    return base._replace(source=KnowledgeBase("bridges.kb"))


def asked(question: str, base: PreparedBase, top: int = 5) -> Reply:
    return next(KnowledgeAnswerer().answer([Asked(Question(question), (base,), top)]))


def test_an_answer_has_its_parts_its_place_and_its_triple(base: PreparedBase) -> None:
    reply = asked("谁设计了青石桥？", base)
    assert reply.answered
    answer = reply.answers[0]
    assert (answer.text, answer.kind, answer.place) == ("秦婉，王蓉", "entity", Place("bridges.kb"))
    assert [part.text for part in answer.parts] == ["秦婉", "王蓉"]
    assert answer.triples == (Triple("青石桥", "设计者", "秦婉，王蓉"),)
    assert from_json(to_json(reply), Reply) == reply


def test_several_objects_are_one_answer_with_parts(base: PreparedBase) -> None:
    answer = asked("清水河有哪些支流？", base).answers[0]
    assert answer.text == "小清河、北沟"
    assert [part.text for part in answer.parts] == ["小清河", "北沟"]
    assert len(answer.triples) == 2


def test_both_triples_of_two_steps_are_shown(base: PreparedBase) -> None:
    answer = asked("秦婉的妻子的父亲是谁？", base).answers[0]
    assert answer.text == "林远山"
    assert [triple.predicate for triple in answer.triples] == ["妻子", "父亲"]


def test_no_more_answers_than_wanted_and_none_where_nothing_is_named(base: PreparedBase) -> None:
    assert len(asked("青石桥有多长？", base, top=1).answers) == 1
    assert asked("今天星期几？", base) == Reply(Question("今天星期几？"), (), 1.0)


def test_the_tree_shows_value_parts_and_triple(base: PreparedBase) -> None:
    from rich.console import Console

    console = Console(width=100, highlight=False)
    with console.capture() as captured:
        console.print(reply_tree(asked("谁设计了青石桥？", base), {}, ["bridges.kb"], plain=True))
    lines = captured.get().splitlines()
    assert lines[0].startswith("秦婉，王蓉")
    assert "青石桥 · 设计者 · 秦婉，王蓉" in captured.get()
    assert any(line.strip("│├└─ ").startswith("王蓉") for line in lines)


def test_the_tree_shows_a_few_triples_and_the_beginnings_of_long_ones() -> None:
    from rich.console import Console

    triples = tuple(Triple("清水河", "支流", f"{n}" + "沟" * 500) for n in range(9))
    reply = Reply(Question("？"), (Answer("许多", "entity", 0.9, triples=triples),), 0.1)
    console = Console(width=400, highlight=False)
    with console.capture() as captured:
        console.print(reply_tree(reply, {}, ["bridges.kb"], plain=True))
    assert captured.get().count("支流") == 5
    assert "沟" * 239 + "…" in captured.get().replace("\n", "").replace(" ", "").replace("│", "")
    assert "4 more" in captured.get()


def test_what_is_no_base_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("A bridge is long.", encoding="utf-8")
    with pytest.raises(CaveatError, match="no triples"):
        KnowledgeAnswerer().prepare(KnowledgeBase(str(tmp_path / "notes.txt")))

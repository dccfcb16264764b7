from __future__ import annotations

import pytest

from caveat.answerers.knowledge.names import bracketed, explained

NAMED = ("北斗一号", "北斗一号（望远镜）", "北斗一号（重型卡车）")


@pytest.mark.parametrize(
    ("question", "name", "entities", "meant"),
    [
        ("北斗一号望远镜多少钱?", "北斗一号", NAMED, ("北斗一号（望远镜）",)),
        ("望远镜北斗一号多少钱?", "北斗一号", NAMED, ("北斗一号（望远镜）",)),
        ("望远镜《北斗一号》多少钱?", "北斗一号", NAMED, ("北斗一号（望远镜）",)),
        ("北斗一号这款卡车多少钱?", "北斗一号", NAMED, ("北斗一号（重型卡车）",)),
        ("北斗一号(望远镜)多少钱?", "北斗一号", NAMED, ("北斗一号（望远镜）",)),
        # Nothing is said, or only elsewhere: any may be meant.
        ("北斗一号多少钱?", "北斗一号", NAMED, NAMED),
        ("北斗一号是不是望远镜?", "北斗一号", NAMED, NAMED),
        # One character is chance.
        ("北斗一号车多少钱?", "北斗一号", NAMED, NAMED),
        ("how far is the planet mercury?", "mercury", ("Mercury (planet)", "Mercury"), ("Mercury (planet)",)),
        (
            "is mercury an element?",
            "mercury",
            ("Mercury (planet)", "Mercury"),
            ("Mercury (planet)", "Mercury"),
        ),
    ],
)
def test_what_stands_beside_a_name_says_which_is_meant(
    question: str, name: str, entities: tuple[str, ...], meant: tuple[str, ...]
) -> None:
    start = question.index(name)
    assert tuple(explained(entities, question, start, start + len(name))) == meant


def test_what_is_in_brackets() -> None:
    assert bracketed("李娜（中国女子网球名将）") == "（中国女子网球名将）"
    assert bracketed("江_（中国姓氏）") == "_（中国姓氏）"
    assert bracketed("《望星空》") == bracketed("李娜") == ""

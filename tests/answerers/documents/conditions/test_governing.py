"""Conditions of Chinese rules, on short rules written for this."""

from __future__ import annotations

import pytest

from caveat.answerers.documents.conditions.governing import chinese_condition
from caveat.answerers.documents.page import Page
from caveat.core.logic import All, Any, Atom, Expression, atoms_of
from caveat.sources.plain_text import parse_plain_text

POOL = parse_plain_text(
    """第一条 会员满60岁的，可以免费游泳；携带儿童的，儿童应当戴泳帽。
第二条 有下列情形之一的，不得入场：
（一）酒后的；
（二）患有皮肤病的。
第三条 申请夜场的会员，应当符合下列条件：
（一）年满18岁；
（二）已经交纳押金。
第四条 泳池每天八点开放。
第五条 如果下雨，室外泳池关闭。
第六条 会员有下列情形之一的，不退押金：
（一）入会不满1年的会员，缺席满3个月的。
第七条 年满12岁的儿童，可以单独入场。
第八条 会员的年卡，不得转让。
"""
)


def condition(words: str) -> Expression | None:
    page = Page.of(POOL)
    at = next(number for number, each in enumerate(POOL.elements) if words in each.text)
    start = POOL.elements[at].text.index(words)
    return chinese_condition(page.book.places, at, start, start + len(words))


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("会员满60岁的，可以免费游泳；", ["会员满60岁吗？"]),
        ("携带儿童的，儿童应当戴泳帽。", ["携带儿童吗？"]),
        ("如果下雨，室外泳池关闭。", ["下雨吗？"]),
        ("酒后的；", ["酒后吗？"]),
        ("会员满60岁的，可以免费游泳；携带儿童的，儿童应当戴泳帽。", ["会员满60岁吗？", "携带儿童吗？"]),
        ("入会不满1年的会员，缺席满3个月的。", ["入会不满1年的会员吗？", "缺席满3个月吗？"]),
        ("泳池每天八点开放。", []),
        ("年满12岁的儿童，可以单独入场。", ["年满12岁的儿童吗？"]),
        ("会员的年卡，不得转让。", []),
    ],
)
def test_what_is_asked_back(words: str, asked: list[str]) -> None:
    found = condition(words)
    assert [atom.question for atom in (atoms_of(found) if found is not None else ())] == asked


def test_one_of_the_cases_or_all_conditions() -> None:
    assert isinstance(condition("有下列情形之一的，不得入场："), Any)
    both = condition("申请夜场的会员，应当符合下列条件：")
    assert isinstance(both, All)
    assert [atom.text for atom in atoms_of(both)] == ["年满18岁", "已经交纳押金"]


def test_atoms_stand_where_their_words_stand() -> None:
    found = condition("会员满60岁的，可以免费游泳；")
    assert isinstance(found, Atom)
    assert POOL.text[found.start : found.end] == found.text == "会员满60岁的"

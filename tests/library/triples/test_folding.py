"""Names as they are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.library.triples.folding import (
    clean_predicate,
    clean_predicates,
    fold,
    fold_all,
    in_text,
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("尼克·克莱格", "尼克克莱格"),
        ("尼克•克萊格", "尼克克莱格"),
        ("ＮＢＡ　總冠軍", "nba总冠军"),
        ("New   York", "new york"),
        (" 北 京 ", "北京"),
        ("iPhone 手机 X", "iphone手机x"),
        ("Pelé", "pele"),
        ("Pele\u0301", "pele"),
        ("李娜（网球）", "李娜(网球)"),
        ("乾隆", "干隆"),  # alike alone and in any phrase
        ("乾", "干"),
        ("İstanbul", "istanbul"),
        ("a\u200bb", "ab"),
        ("··", ""),
        ("", ""),
    ],
)
def test_folding(text: str, folded: str) -> None:
    assert fold(text).text == folded


def test_the_way_back() -> None:
    text = " 尼克 · 克莱格 "
    folded = fold(text)
    assert [text[at] for at in folded.origin] == list("尼克克莱格")


@given(st.lists(st.text(), max_size=6))
def test_many_fold_as_one_by_one(texts: list[str]) -> None:
    codes, lengths = fold_all(texts)
    whole, at, parts = in_text(codes), 0, []
    for length in lengths.tolist():
        parts.append(whole[at : at + length])
        at += length
    assert parts == [fold(text).text for text in texts]


@given(st.text())
def test_origins_rise_and_folding_twice_changes_nothing(text: str) -> None:
    folded = fold(text)
    assert all(a < b for a, b in zip(folded.origin, folded.origin[1:], strict=False))
    assert fold(folded.text).text == folded.text


@pytest.mark.parametrize(
    ("predicate", "cleaned"),
    [
        ("别   名", "别名"),
        ("•人口密度", "人口密度"),
        ("· 国籍：", "国籍"),
        ("Place of  Death", "place of death"),
        ("－面積", "面积"),
        ("ＧＤＰ", "gdp"),
        ("：", ":"),
        ("••", "••"),
    ],
)
def test_cleaning_predicates(predicate: str, cleaned: str) -> None:
    assert clean_predicate(predicate) == cleaned
    assert clean_predicates(["x", predicate, "y"])[1] == cleaned

from __future__ import annotations

import pytest

from caveat.answerers.knowledge.words import FoldedQuestion, grams_of, units_of
from caveat.language.stems import root


def test_ideographs_words_and_numbers_are_units_and_marks_are_none() -> None:
    assert units_of("《望星空》的isbn是978吗？") == ["望", "星", "空", "的", "isbn", "是", "0", "吗"]
    assert units_of("who founded lindholm-optics in 1921?") == [
        *("who", "found", "lindholm", "optic", "in", "0")
    ]
    assert units_of("") == []


@pytest.mark.parametrize("words", [("founder", "founded", "founding", "founders"), ("city", "cities")])
def test_forms_of_a_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({root(word) for word in words}) == 1


def test_short_words_stay() -> None:
    assert [root(word) for word in ("is", "use", "her", "bus")] == ["is", "use", "her", "bus"]


def test_grams_are_units_and_pairs_each_once() -> None:
    assert grams_of(["多", "少", "多", "少"]) == ["多", "少", "多 少", "少 多"]


def test_a_name_is_masked_with_the_quotes_around_it() -> None:
    asked = FoldedQuestion("請問《望星空》的作者是誰？")
    start = asked.text.index("望")
    place = asked.place(start, start + 3)
    assert asked.folded[slice(*place)] == "望星空"
    assert asked.masked(*place) == "请问□的作者是谁?"


def test_offsets_are_found_where_folding_drops_characters() -> None:
    asked = FoldedQuestion("尼克·克莱格  的 妻子")
    assert asked.folded == "尼克克莱格的妻子"
    assert asked.place(0, 6) == (0, 5)
    assert asked.masked(0, 5) == "□的妻子"


def test_an_entity_is_found_without_its_brackets() -> None:
    asked = FoldedQuestion("北斗一号多少钱")
    assert asked.find("北斗一号（望远镜）") == (0, 4)
    assert asked.find("《北斗一号》") == (0, 4)
    assert asked.find("南斗一号") is None

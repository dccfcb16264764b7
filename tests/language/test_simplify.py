from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opencc import OpenCC

from caveat.language.simplify import _simplify, is_traditional, simplify

MIXED = st.text(alphabet="漢語學習體驗臺灣電腦國際的了在和 abcXYZ019,.!，。！“”\n")


def test_simplifies_and_keeps_offsets() -> None:
    simple = simplify("臺灣的電腦 (PC) 很貴。")
    assert simple.text == "台湾的电脑 (PC) 很贵。"
    assert simple.anchors is None
    assert simple.original(3, 5) == (3, 5)


def test_characters_are_read_in_their_words() -> None:
    assert simplify("乾隆皇帝的乾淨衣服").text == "乾隆皇帝的干净衣服"


def test_span_outside_the_text() -> None:
    with pytest.raises(ValueError, match="no span 1:4"):
        simplify("漢字").original(1, 4)
    with pytest.raises(ValueError, match="no span 2:1"):
        simplify("漢字").original(2, 1)


def test_lone_surrogate_is_left_alone() -> None:
    assert simplify("漢\ud800字").text == "汉\ud800字"


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_stays(text: str) -> None:
    simple = simplify(text)
    assert simple.text == text
    assert simple.anchors is None
    assert not is_traditional(text)


@given(MIXED)
def test_is_opencc_and_idempotent(text: str) -> None:
    simple = simplify(text).text
    assert simple == OpenCC("t2s").convert(text)
    assert simplify(simple).text == simple


@given(st.text())
def test_any_text_maps_onto_itself_outside_ideographs(text: str) -> None:
    simple = simplify(text)
    for index, character in enumerate(simple.text):
        start, end = simple.original(index, index + 1)
        assert 0 <= start <= end <= len(text)
        if character.isascii():
            assert text[start:end] == character


def test_is_traditional() -> None:
    assert is_traditional("臺灣位於亞洲東部，是一個島嶼。")
    assert not is_traditional("台湾位于亚洲东部，是一个岛屿。")
    assert not is_traditional("")
    assert not is_traditional("Taiwan is an island.")
    # One character that has a simpler form makes no Traditional text.
    assert not is_traditional("他们住在乾县，那里的冬天很冷，夏天很热，春天和秋天都很短，人们种小麦和玉米。")


# t2s changes no text's length, so a dictionary that does stands in: words of one place for those of another.
WORDS = {"記憶體": "内存", "光碟": "光盘片", "滑鼠": "鼠标"}


def swap_words(text: str) -> str:
    for old, new in WORDS.items():
        text = text.replace(old, new)
    return text


def test_words_of_other_length() -> None:
    text = "買記憶體和光碟嗎"
    simple = _simplify(text, swap_words)
    assert simple.text == "買内存和光盘片嗎"
    assert simple.original(0, 1) == (0, 1)
    assert simple.original(1, 3) == (1, 4)
    assert simple.original(1, 2) == (1, 4)  # half of a word came from the whole of the other
    assert simple.original(3, 4) == (4, 5)
    assert simple.original(5, 6) == (5, 7)
    assert simple.original(7, 8) == (7, 8)
    assert simple.original(4, 4) == (5, 5)


ATOMS = st.lists(st.sampled_from([*WORDS, "買", "的", "a", "b c", "，", "\n", "1"]), max_size=12)


@given(ATOMS)
def test_every_word_maps_to_the_word_it_came_from(atoms: list[str]) -> None:
    text = "".join(atoms)
    simple = _simplify(text, swap_words)
    assert simple.text == "".join(map(swap_words, atoms))
    assert simple.original(0, len(simple.text)) == (0, len(text))
    here = there = 0
    for atom in atoms:
        next_here, next_there = here + len(swap_words(atom)), there + len(atom)
        assert simple.original(here, next_here) == (there, next_there)
        here, there = next_here, next_there


@given(ATOMS)
def test_mapping_is_monotone(atoms: list[str]) -> None:
    text = "".join(atoms)
    simple = _simplify(text, swap_words)
    spans = [simple.original(index, index + 1) for index in range(len(simple.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)
    assert sorted({offset for start, end in spans for offset in range(start, end)}) == list(range(len(text)))


def test_equal_length_with_a_shift_inside() -> None:
    simple = _simplify("記憶體的光碟", swap_words)
    assert simple.text == "内存的光盘片"
    assert simple.original(2, 3) == (3, 4)


@pytest.mark.parametrize("text", ["計畫", "他沈默地看計畫", "反覆藉口", "手鍊，項鍊"])
def test_entries_of_several_characters_keep_the_offsets(text: str) -> None:
    # 畫 becomes 划 in 計畫 and 画 elsewhere; such a character differs from what it becomes alone.
    assert simplify(text).anchors is None


def test_entry_across_punctuation() -> None:
    def convert(text: str) -> str:
        return text.replace("甲，乙", "丙")

    simple = _simplify("a甲，乙b", convert)
    assert simple.text == "a丙b"
    assert [simple.original(index, index + 1) for index in range(3)] == [(0, 1), (1, 4), (4, 5)]

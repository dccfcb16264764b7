from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.files import read_text
from caveat.core.languages import is_han
from caveat.language.normalise import CMRC_PUNCTUATION
from caveat.language.words import cmrc_segments, segments_with_offsets, treebank_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("中国", ["中", "国"]),
        ("2018-05-03", ["20180503"]),
        ("10:30", ["1030"]),
        (" 在NBA打球， ", ["在", "nba", "打", "球"]),
        ("He can't", ["he", "ca", "n't"]),
        ("(test) 5%", ["(", "test", ")", "5", "%"]),
        ("a.b", ["a.b"]),
        ("a、b", ["ab"]),
        ("甲……乙", ["甲", "……", "乙"]),  # ellipses are not in the list
        ("㐀㐁", ["㐀㐁"]),  # rare ideographs are buffered
        ("甲‘乙’", ["甲", "‘", "乙"]),  # ’ is in the list, ‘ is not
        ("，。！", []),
        ("", []),
    ],
)
def test_cmrc_segments(text: str, expected: list[str]) -> None:
    assert cmrc_segments(text) == expected


def one_by_one(text: str, word_tokenize: Callable[[str], list[str]]) -> list[str]:
    """The published algorithm, character by character."""
    segments: list[str] = []
    buffered = ""
    for character in text.lower().strip():
        if character in CMRC_PUNCTUATION:
            continue
        if "\u4e00" <= character <= "\u9fa5":
            if buffered:
                segments += word_tokenize(buffered)
            segments.append(character)
            buffered = ""
        else:
            buffered += character
    return segments + word_tokenize(buffered)


MARKS = "".join(sorted(CMRC_PUNCTUATION))
CHARACTERS = st.one_of(st.sampled_from(MARKS + "中国人㐀aBc019 .,'\"()…\n"), st.characters())


@given(st.text(alphabet=CHARACTERS))
def test_cmrc_segments_one_by_one(text: str) -> None:
    assert cmrc_segments(text) == one_by_one(text, treebank_words)


@pytest.mark.shared
def test_cmrc_segments_of_the_trial_set(shared: Path) -> None:
    tokenize = pytest.importorskip("nltk.tokenize")
    data = json.loads(read_text(shared / "data" / "cmrc2018" / "trial.json.gz"))["data"]
    paragraphs = [paragraph for article in data for paragraph in article["paragraphs"]]
    texts = {answer["text"] for p in paragraphs for qa in p["qas"] for answer in qa["answers"]}
    texts |= {paragraph["context"] for paragraph in paragraphs}
    word_tokenize = partial(tokenize.word_tokenize, preserve_line=True)
    for text in texts:
        assert cmrc_segments(text) == one_by_one(text, word_tokenize)


def test_segments_with_offsets() -> None:
    assert segments_with_offsets("在NBA、CBA打3.5年 (it's).") == [
        ("在", 0), ("NBA", 1), ("、", 4), ("CBA", 5), ("打", 8), ("3.5", 9), ("年", 12),
        ("(", 14), ("it", 15), ("'s", 17), (")", 19), (".", 20),
    ]  # fmt: skip


@given(st.text(alphabet=CHARACTERS))
def test_segments_are_slices(text: str) -> None:
    at = 0
    for segment, start in segments_with_offsets(text):
        assert segment
        assert text.startswith(segment, start)
        assert start >= at
        assert not text[at:start].strip()
        assert len(segment) == 1 or not any(map(is_han, segment))
        at = start + len(segment)
    assert not text[at:].strip()

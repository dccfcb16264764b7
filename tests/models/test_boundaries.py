"""Where spans may begin and end, by the characters beside a token."""

from __future__ import annotations

import numpy as np

from caveat.models.boundaries import clause_limits, word_limits
from caveat.models.encoding import EncodedText


def cut(*pieces: str) -> EncodedText:
    """A text in these pieces, where blanks belong to none."""
    starts, ends, at = [], [], 0
    for piece in pieces:
        if piece.strip():
            starts.append(at)
            ends.append(at + len(piece))
        at += len(piece)
    length = len(starts)
    return EncodedText("".join(pieces), np.zeros(length, np.int32), np.array(starts), np.array(ends))


def marked(mask: np.ndarray) -> str:
    return "".join("+" if allowed else "-" for allowed in mask)


def test_no_span_ends_inside_a_word() -> None:
    text = cut("re", "store", "d", " ", "in", " ", "19", "20", "s", "，", "修", "好", "3", "天", ".")
    begin, end = word_limits(text)
    #                       re store d in 19 20 s ， 修 好 3 天 .
    assert marked(begin) == "+--++--++++++"
    assert marked(end) == "--++--+++++++"


def test_letters_with_accents_are_letters() -> None:
    assert marked(word_limits(cut("caf", "é", "s")).begin) == "+--"


def test_clauses_lie_between_punctuation_blanks_and_the_ends() -> None:
    text = cut("如", "果", "下", "雨", "，", "渡", "船", "不", "开", "。", "\n", "票", "价", "三", "元")
    begin, end = clause_limits(text)
    #                       如 果 下 雨 ， 渡 船 不 开 。 票 价 三 元
    assert marked(begin) == "+----+----+---"
    assert marked(end) == "---+----++---+"


def test_nothing_at_all() -> None:
    assert len(clause_limits(cut("")).begin) == len(word_limits(cut("")).end) == 0

"""The windows of a long text that are read."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from caveat.models.selection import Limit, choose
from caveat.models.windows import windows


def chosen(question: str, text: str, size: int, most: int) -> list[str]:
    """Letters as tokens, windows side by side."""
    cut = windows(len(text), size, size)
    [found] = choose(ids(question), [(ids(text), cut)], Limit(few=most, share=0, most=most, margin=None))
    return [text[first:last] for first, last, _ in found]


def ids(text: str) -> NDArray[np.int32]:
    return np.array([ord(letter) for letter in text], dtype=np.int32)


def test_the_windows_with_the_questions_rare_tokens_are_kept_in_order() -> None:
    # "e" is everywhere and tells nothing; "q" and "z" stand in one window each.
    assert chosen("qez", "eeaaeezaeeeeaqeeeeaa", 4, 2) == ["eeza", "aqee"]


def test_neighbours_that_are_neighbours_in_the_question_count_more() -> None:
    assert chosen("ab", "axxbxxabbxxa", 4, 1) == ["xxab"]


def test_a_pair_across_two_windows_is_in_neither() -> None:
    # Both windows have one of the two letters: the first is taken because it is the first.
    assert chosen("ab", "xxxabxxx", 4, 1) == ["xxxa"]


def test_a_short_text_is_read_whole() -> None:
    assert chosen("q", "aaaabbbb", 4, 2) == ["aaaa", "bbbb"]


@given(st.text("abc", max_size=6), st.text("abcd", max_size=120), st.integers(1, 9), st.integers(1, 9))
def test_what_is_kept_is_as_many_windows_as_allowed_in_order(
    question: str, text: str, size: int, most: int
) -> None:
    cut = windows(len(text), size, size)
    [found] = choose(ids(question), [(ids(text), cut)], Limit(few=most, share=0, most=most, margin=None))
    kept = [(first, last) for first, last, _ in found]
    assert len(kept) == min(most, len(cut))
    assert kept == [window for window in cut if window in set(kept)]
    # The best is always among them, and none is before it.
    assert min(behind for _, _, behind in found) == 0


def test_of_several_texts_those_windows_are_read_that_are_best_in_all() -> None:
    texts = ["aaaazzaa", "", "aqaaaaaa", "aaaa"]
    cut = [(ids(text), windows(len(text), 4, 4) if text else []) for text in texts]
    chosen = choose(ids("qz"), cut, Limit(few=2, share=0, margin=None))
    # Counted over all: "z" and "q" each stand in one of five windows, "z" twice.
    assert [[(first, last) for first, last, _ in each] for each in chosen] == [[(4, 8)], [], [(0, 4)], []]
    assert chosen[0][0].behind == 0
    assert chosen[2][0].behind > 0
    assert choose(ids("qz"), [], Limit()) == []


def test_without_a_limit_all_are_read_and_what_they_lack_is_told() -> None:
    [found] = choose(ids("q"), [(ids("aaqaaaaa"), [(0, 4), (4, 8)])])
    # One of two windows has it: log(1 + 1.5 / 1.5), and one occurrence counts 1 / 2.2 of that.
    assert [window.behind for window in found] == pytest.approx([0, math.log(2) / 2.2])
    [alone] = choose(ids("q"), [(ids("aaqa"), [(0, 4)])])
    assert alone == [(0, 4, 0.0)]


def test_of_a_longer_text_more_is_read_up_to_a_limit() -> None:
    read = [Limit().of([0.0] * windows) for windows in (0, 1, 4, 5, 12, 13, 30, 48, 10_000)]
    assert read == [2, 2, 4, 4, 4, 5, 10, 16, 16]


def test_what_is_far_behind_is_not_read_but_the_best_two() -> None:
    limit = Limit(margin=4.0)
    assert limit.of([0.0, 9.0, 9.0, 9.0]) == 2
    assert limit.of([0.0, 1.0, 4.0, 4.1, 9.0]) == 3
    assert limit.of([0.0, 1.0, 2.0, 3.0, 3.5, 4.0]) == 4  # no more than a share of them
    assert limit._replace(margin=None).of([0.0, 9.0, 9.0, 9.0]) == 4


def test_windows_that_lack_what_the_best_has_are_left_out() -> None:
    # "q" to "v" and their pairs stand in the second window alone.
    text = "aaaaaaaa" + "aqrstuva" + "aaaaaaaa" + "aaaaaaaa"
    cut = windows(len(text), 8, 8)
    [found] = choose(ids("qrstuv"), [(ids(text), cut)], Limit())
    assert [(first, last) for first, last, _ in found] == [(0, 8), (8, 16)]
    [all_of_them] = choose(ids("qrstuv"), [(ids(text), cut)], Limit(margin=None))
    assert len(all_of_them) == 4

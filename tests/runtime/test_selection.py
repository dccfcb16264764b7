"""The windows of a long text that are read."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caveat.runtime.selection import most_alike
from caveat.text.windows import windows


def chosen(question: str, text: str, size: int, most: int) -> list[str]:
    """Letters as tokens, windows side by side."""
    ids = [np.array([ord(letter) for letter in given], dtype=np.int32) for given in (question, text)]
    cut = windows(len(text), size, size)
    return [text[first:last] for first, last in most_alike(ids[0], ids[1], cut, most)]


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
    ids = [np.array([ord(letter) for letter in given], dtype=np.int32) for given in (question, text)]
    kept = most_alike(ids[0], ids[1], cut, most)
    assert len(kept) == min(most, len(cut))
    assert kept == [window for window in cut if window in set(kept)]

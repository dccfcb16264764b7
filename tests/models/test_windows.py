"""Windows over tokens, and tokens against characters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.models.encoding import EncodedText, PairLayout
from caveat.models.windows import (
    Window,
    batches,
    characters_of,
    collate,
    even_windows,
    parts_of,
    tokens_of,
    windows,
)


def test_windows_move_by_their_stride_and_end_with_the_text() -> None:
    assert windows(10, 4, 2) == [(0, 4), (2, 6), (4, 8), (6, 10)]
    assert windows(9, 4, 3) == [(0, 4), (3, 7), (6, 9)]
    assert windows(4, 4, 2) == [(0, 4)]
    assert windows(0, 4, 2) == [(0, 0)]


def test_a_stride_beyond_the_window_leaves_nothing_out() -> None:
    assert windows(7, 3, 5) == [(0, 3), (3, 6), (6, 7)]


@pytest.mark.parametrize(("size", "stride"), [(0, 1), (1, 0), (-3, 2)])
def test_a_window_without_tokens_is_refused(size: int, stride: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        windows(5, size, stride)


@given(st.integers(0, 300), st.integers(1, 50), st.integers(1, 60))
def test_windows_cover_every_token_and_none_is_superfluous(length: int, size: int, stride: int) -> None:
    found = windows(length, size, stride)
    assert set().union(*(range(first, last) for first, last in found)) == set(range(length))
    assert all(last - first <= size for first, last in found)
    # Every window but the last is full, and only the last reaches the end.
    assert all(last - first == size and last < length for first, last in found[:-1])


@given(st.integers(1, 200), st.integers(2, 40), st.data())
def test_a_span_no_longer_than_the_overlap_is_whole_in_some_window(
    length: int, size: int, data: st.DataObject
) -> None:
    stride = data.draw(st.integers(1, size - 1))
    span = data.draw(st.integers(1, min(length, size - stride)))
    first = data.draw(st.integers(0, length - span))
    assert any(a <= first and first + span <= b for a, b in windows(length, size, stride))


def test_even_windows_share_a_text_out() -> None:
    # Two windows of 4 with an overlap of 1 would be 0:4 and 3:5.
    assert even_windows(5, 4, 3) == [(0, 3), (2, 5)]
    assert even_windows(10, 4, 2) == windows(10, 4, 2)
    assert even_windows(3, 4, 2) == [(0, 3)]
    assert even_windows(0, 4, 2) == [(0, 0)]


@given(st.integers(0, 300), st.integers(1, 50), st.integers(1, 60))
def test_even_windows_cover_the_text_with_the_same_overlap_and_no_more_tokens(
    length: int, size: int, stride: int
) -> None:
    found, plain = even_windows(length, size, stride), windows(length, size, stride)
    assert set().union(*(range(first, last) for first, last in found)) == set(range(length))
    assert len(found) == len(plain)
    assert all(last - first <= size for first, last in found)
    assert sum(last - first for first, last in found) <= sum(last - first for first, last in plain)
    overlap = size - min(stride, size)
    assert all(here[1] - after[0] == overlap for here, after in pairwise(found))


# "To be,  or" as To|be|,|or: a gap of two blanks, and a token that touches the one before it.
STARTS, ENDS = [0, 3, 5, 8], [2, 5, 6, 10]


def test_tokens_of_a_span_are_those_that_share_a_character_with_it() -> None:
    assert tokens_of(STARTS, ENDS, 3, 5) == (1, 2)
    assert tokens_of(STARTS, ENDS, 1, 4) == (0, 2)
    assert tokens_of(STARTS, ENDS, 5, 9) == (2, 4)
    assert tokens_of(STARTS, ENDS, 0, 10) == (0, 4)
    assert tokens_of(STARTS, ENDS, 6, 8) is None
    assert tokens_of(STARTS, ENDS, 10, 12) is None
    assert tokens_of([], [], 0, 3) is None


def test_tokens_that_share_their_characters_belong_together() -> None:
    # One character that became two tokens.
    assert tokens_of([0, 1, 1, 2], [1, 2, 2, 3], 1, 2) == (1, 3)


def test_characters_of_no_tokens_are_none() -> None:
    assert characters_of(STARTS, ENDS, 1, 1) == (3, 3)


@st.composite
def tokenised(draw: st.DrawFn) -> tuple[str, list[int], list[int]]:
    pieces = draw(
        st.lists(st.tuples(st.text("ab语言é", min_size=1, max_size=4), st.integers(0, 2)), min_size=1)
    )
    text, starts, ends = "", [], []
    for piece, blanks in pieces:
        starts.append(len(text))
        text += piece
        ends.append(len(text))
        text += " " * blanks
    return text, starts, ends


@given(tokenised(), st.data())
def test_tokens_to_characters_and_back(case: tuple[str, list[int], list[int]], data: st.DataObject) -> None:
    text, starts, ends = case
    first = data.draw(st.integers(0, len(starts) - 1))
    last = data.draw(st.integers(first + 1, len(starts)))
    start, end = characters_of(starts, ends, first, last)
    assert text[start:end] == text[starts[first] : ends[last - 1]]
    assert tokens_of(starts, ends, start, end) == (first, last)


@given(tokenised(), st.data())
def test_a_span_is_inside_its_tokens(case: tuple[str, list[int], list[int]], data: st.DataObject) -> None:
    text, starts, ends = case
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = tokens_of(starts, ends, start, end)
    if found is None:
        assert not text[start:end].strip()
        return
    wide = characters_of(starts, ends, *found)
    assert text[start:end].strip() in text[wide[0] : wide[1]]


@given(st.lists(st.integers(1, 400)), st.integers(1, 2000), st.floats(0, 0.5))
def test_every_window_once_within_the_limits(lengths: list[int], tokens: int, padding: float) -> None:
    cut = batches(lengths, tokens=tokens, padding=padding)
    assert sorted(index for batch in cut for index in batch) == list(range(len(lengths)))
    for batch in cut:
        longest = max(lengths[index] for index in batch)
        padded = longest * len(batch)
        assert padded <= tokens or len(batch) == 1
        assert padded - sum(lengths[index] for index in batch) <= padding * padded + 1e-9


def test_by_hand() -> None:
    # 100 + 95 share a batch (5 of 200 padded), 50 would pad 55 of 300; two of 50 fit in 200.
    assert batches([50, 100, 95, 50], tokens=300, padding=0.1) == [[1, 2], [0, 3]]
    assert batches([10] * 5, tokens=20) == [[0, 1], [2, 3], [4]]
    assert batches([]) == []


def array(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(values, dtype=np.int32)


def two_windows() -> list[Window]:
    text = EncodedText("abcd", array(11, 12, 13, 14), array(0, 1, 2, 3), array(1, 2, 3, 4))
    return [Window(0, array(21, 22), text, 1, 4), Window(1, array(23), text, 0, 1)]


def test_rows() -> None:
    batch = collate(two_windows(), PairLayout((1,), (2, 2), (3,), 0, 1, 9))
    assert batch.input_ids.tolist() == [[1, 21, 22, 2, 2, 12, 13, 14, 3], [1, 23, 2, 2, 11, 3, 9, 9, 9]]
    assert batch.attention_mask.tolist() == [[1] * 9, [1] * 6 + [0] * 3]
    assert batch.token_type_ids.tolist() == [[0] * 5 + [1] * 4, [0] * 4 + [1] * 2 + [0] * 3]
    assert batch.context == [5, 4]


def test_rows_with_the_context_first() -> None:
    batch = collate(two_windows(), PairLayout((1,), (2,), (3,), 1, 0, 9, context_first=True))
    assert batch.input_ids.tolist() == [[1, 12, 13, 14, 2, 21, 22, 3], [1, 11, 2, 23, 3, 9, 9, 9]]
    assert batch.token_type_ids.tolist() == [[0] * 5 + [1] * 3, [0] * 3 + [1] * 2 + [0] * 3]
    assert batch.context == [1, 1]


def test_rows_whose_last_token_is_the_pairs_are_padded_on_the_left() -> None:
    batch = collate(two_windows(), PairLayout((), (2,), (2, 3), 0, 1, 9, last_type=4))
    assert batch.input_ids.tolist() == [[21, 22, 2, 12, 13, 14, 2, 3], [9, 9, 9, 23, 2, 11, 2, 3]]
    assert batch.attention_mask.tolist() == [[1] * 8, [0] * 3 + [1] * 5]
    assert batch.token_type_ids.tolist() == [[0] * 3 + [1] * 4 + [4], [0] * 5 + [1] * 2 + [4]]
    assert batch.context == [3, 5]


def test_parts_that_tokens_stand_in() -> None:
    starts, ends = np.array([0, 3, 8, 12]), np.array([3, 7, 11, 15])
    # The second token is cut by an edge, the last one stands in no part.
    assert parts_of(starts, ends, [(0, 5), (8, 11)]).tolist() == [0, -1, 1, -1]
    assert parts_of(starts, ends, []).tolist() == [-1] * 4


def test_only_windows_of_one_length_share_a_batch() -> None:
    """What is read in a window then does not depend on what is read beside it."""
    assert batches([7, 9, 7, 7, 9]) == [[1, 4], [0, 2, 3]]

"""Spans in a band, against all spans tried one by one."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caveat.models.decoding import (
    Candidate,
    TokenSpan,
    best_spans,
    clause_limits,
    distinct_places,
    word_limits,
)
from caveat.models.encoding import EncodedText

logits = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), max_size=14)


def by_trying_all(
    start: list[float], end: list[float], longest: int, count: int, parts: list[int] | None = None
) -> list[TokenSpan]:
    every = [
        TokenSpan(i, j, start[i] + end[j])
        for i in range(len(start))
        for j in range(i, min(i + longest, len(start)))
        if parts is None or parts[i] == parts[j] != -1
    ]
    found: list[TokenSpan] = []
    while every and len(found) < count:
        best = min(every, key=lambda span: (-span.score, span.first, span.last))
        found.append(best)
        every = [span for span in every if span.last < best.first or best.last < span.first]
    return found


@given(logits, st.integers(1, 16), st.integers(1, 8))
def test_as_by_trying_all(pairs: list[tuple[int, int]], longest: int, count: int) -> None:
    start, end = [float(s) for s, _ in pairs], [float(e) for _, e in pairs]
    found = best_spans(np.array(start, np.float32), np.array(end, np.float32), longest, count)
    assert found == by_trying_all(start, end, longest, count)


@given(logits, st.integers(1, 16), st.integers(1, 8), st.randoms(use_true_random=False))
def test_no_span_leaves_its_part(
    pairs: list[tuple[int, int]], longest: int, count: int, draw: random.Random
) -> None:
    start, end = [float(a) for a, _ in pairs], [float(b) for _, b in pairs]
    numbers = sorted(draw.choice(range(4)) for _ in pairs)
    parts = [-1 if draw.random() < 0.2 else number for number in numbers]
    # Where a token in the middle is in no part, one part is two.
    for at in range(1, len(parts)):
        if parts[at - 1] == -1 and parts[at] != -1:
            parts[at:] = [number + (number != -1) * 10 * at for number in parts[at:]]
    found = best_spans(
        np.array(start, dtype=np.float32),
        np.array(end, dtype=np.float32),
        longest,
        count,
        np.array(parts, dtype=np.int32),
    )
    assert found == by_trying_all(start, end, longest, count, parts)


def test_by_hand() -> None:
    start = np.array([0, 5, 0, 0, 3], np.float32)
    end = np.array([0, 0, 0, 6, 1], np.float32)
    # 5 + 6 over three tokens; what is left on its right is 3 + 1, on its left 0.
    assert best_spans(start, end, 3, 9) == [(1, 3, 11), (4, 4, 4), (0, 0, 0)]
    # With two tokens at most, the end alone wins over the start alone.
    assert best_spans(start, end, 2, 2) == [(2, 3, 6), (1, 1, 5)]
    assert best_spans(start[:0], end[:0], 2, 2) == []


def test_positions_ruled_out_are_never_taken() -> None:
    never = np.full(3, -np.inf, np.float32)
    assert best_spans(never, np.zeros(3, np.float32), 2, 5) == []


def place(start: int, end: int, score: float) -> Candidate:
    return Candidate("x" * (end - start), start, end, score)


def test_overlapping_places_are_one_answer() -> None:
    found = [place(0, 5, 1.0), place(3, 8, 2.0), place(3, 8, 1.5), place(8, 9, 0.0), place(0, 3, -1.0)]
    assert distinct_places(found, 9) == [found[1], found[3], found[4]]
    assert distinct_places(found, 1) == [found[1]]
    # Equal scores: the earlier place, then the shorter.
    assert distinct_places([place(4, 6, 1.0), place(0, 2, 1.0), place(0, 1, 1.0)], 9) == [
        place(0, 1, 1.0),
        place(4, 6, 1.0),
    ]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5), st.integers(0, 3))), st.randoms())
def test_the_order_of_windows_does_not_matter(places: list[tuple[int, int, int]], shuffle: object) -> None:
    found = [place(start, start + length, float(score)) for start, length, score in places]
    kept = distinct_places(found, 100)
    shuffle.shuffle(found)  # type: ignore[attr-defined]
    assert distinct_places(found, 100) == kept


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

"""Decoding of tags: against every tagging there is, and by hand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from caveat.models.boundaries import Limits
from caveat.models.tagging import TokenTag, column_count, tag_spans

# A tag is a column: 0 is O, 1 + 2k is B of the k-th kind, 2 + 2k its I.


def legal_spans(tags: tuple[int, ...], kinds: tuple[str, ...], limits: dict[str, Limits]) -> set | None:
    """The spans of a tagging, None if it is not legal."""
    spans: list[list[int]] = []
    for at, tag in enumerate(tags):
        kind = (tag - 1) // 2
        if tag and tag % 2:
            spans.append([kind, at, at])
        elif tag:
            if not spans or spans[-1][0] != kind or spans[-1][2] != at - 1 or tags[at - 1] == 0:
                return None
            spans[-1][2] = at
    for kind, first, last in spans:
        if (limit := limits.get(kinds[kind])) and not (limit.begin[first] and limit.end[last]):
            return None
    return {(kinds[kind], first, last) for kind, first, last in spans}


def every_tagging(
    logits: NDArray[np.float32], kinds: tuple[str, ...], limits: dict[str, Limits], temperature: float
) -> Iterator[tuple[float, set]]:
    scaled = logits.astype(np.float64) / temperature
    weights = np.exp(scaled) / np.exp(scaled).sum(axis=1, keepdims=True)
    for tags in product(range(weights.shape[1]), repeat=len(weights)):
        spans = legal_spans(tags, kinds, limits)
        if spans is not None:
            yield float(np.prod([weights[at, tag] for at, tag in enumerate(tags)])), spans


@st.composite
def problems(draw: st.DrawFn) -> tuple[NDArray[np.float32], tuple[str, ...], dict[str, Limits], float]:
    kinds = draw(st.sampled_from([("a",), ("a", "b")]))
    length = draw(st.integers(1, 7 if len(kinds) == 1 else 5))
    seed = draw(st.integers(0, 2**32 - 1))
    logits = np.random.default_rng(seed).normal(0, 2, (length, 1 + 2 * len(kinds))).astype(np.float32)
    masks = st.lists(st.booleans(), min_size=length, max_size=length).map(np.array)
    limited = draw(st.sampled_from([(), ("a",), kinds]))
    limits = {kind: Limits(draw(masks), draw(masks)) for kind in limited}
    return logits, kinds, limits, draw(st.sampled_from([1.0, 0.5, 3.0]))


@given(problems())
def test_the_best_of_all_taggings_and_the_share_of_each_span(problem: tuple) -> None:
    logits, kinds, limits, temperature = problem
    every = list(every_tagging(logits, kinds, limits, temperature))
    total = sum(weight for weight, _ in every)
    best = max(every, key=lambda tagging: tagging[0])[1]
    found = tag_spans(logits, [kinds], temperature=temperature, limits=limits)
    assert {tag[:3] for tag in found} == best
    for tag in found:
        share = sum(weight for weight, spans in every if tag[:3] in spans) / total
        assert tag.score == pytest.approx(share)


def columns(*rows: str) -> NDArray[np.float32]:
    """Scores of 5 for the named column (O, B, I, b, i), 0 for the others."""
    return np.array([[5.0 * (name == row) for name in "OBIbi"] for row in rows], dtype=np.float32)


def places(found: list[TokenTag]) -> list[tuple[str, int, int]]:
    return [(tag.kind, tag.first, tag.last) for tag in found]


def test_spans_of_two_kinds_side_by_side() -> None:
    found = tag_spans(columns("O", "B", "I", "B", "b", "i", "O"), [("x", "y")])
    assert places(found) == [("x", 1, 2), ("x", 3, 3), ("y", 4, 5)]
    assert all(tag.score > 0.9 for tag in found)


def test_an_inside_without_its_beginning_is_mended() -> None:
    # The first I becomes a B, or the span is given up, whichever is worth more: I I is worth a B that costs 5.
    assert places(tag_spans(columns("I", "I", "O"), [("x", "y")])) == [("x", 0, 1)]
    # One token alone gains nothing either way; silence is taken.
    assert places(tag_spans(columns("O", "i", "O"), [("x", "y")])) == []
    # A y goes on as a y.
    assert places(tag_spans(columns("b", "I", "i"), [("x", "y")])) == [("y", 0, 2)]


def test_layers_do_not_know_of_each_other() -> None:
    one = columns("B", "I", "I", "O")[:, :3]
    other = columns("O", "B", "I", "I")[:, :3]
    found = tag_spans(np.concatenate([one, other], axis=1), [("x",), ("y",)])
    assert places(found) == [("x", 0, 2), ("y", 1, 3)]
    assert column_count([("x",), ("y",)]) == 6
    assert column_count([("x", "y", "z")]) == 7


def test_limits_move_the_ends() -> None:
    logits = columns("O", "B", "I", "I", "O")[:, :3]
    begin, end = np.array([1, 0, 0, 1, 0], bool), np.array([0, 0, 0, 0, 1], bool)
    # From 1 to 3 is not allowed; 0 to 4 costs 5 at either end and gains 10 within.
    free = np.ones(5, bool)
    assert places(tag_spans(logits, [("x",)])) == [("x", 1, 3)]
    assert places(tag_spans(logits, [("x",)], limits={"x": Limits(begin, free)})) == [("x", 0, 3)]
    assert places(tag_spans(logits, [("x",)], limits={"x": Limits(free, end)})) == [("x", 1, 4)]
    assert places(tag_spans(logits, [("x",)], limits={"x": Limits(~free, end)})) == []
    # Another kind's limits are not its own.
    assert places(tag_spans(logits, [("x",)], limits={"y": Limits(~free, end)})) == [("x", 1, 3)]


def test_a_temperature_makes_unsure_and_changes_nothing_else() -> None:
    logits = np.random.default_rng(2).normal(0, 4, (60, 5)).astype(np.float32)
    cold, warm = (tag_spans(logits, [("x", "y")], temperature=t) for t in (0.2, 5.0))
    assert places(cold) == places(warm)
    assert np.mean([tag.score for tag in cold]) > 0.9 > 0.5 > np.mean([tag.score for tag in warm])


def test_a_long_text_and_an_empty_one() -> None:
    logits = np.tile(columns("O", "B", "I", "b"), (5000, 1))
    found = tag_spans(logits, [("x", "y")])
    assert len(found) == 10_000
    assert found[0].score == pytest.approx(found[5000].score, abs=0.02)
    assert tag_spans(np.zeros((0, 5), np.float32), [("x", "y")]) == []


def test_scores_that_are_certain_or_ruled_out() -> None:
    logits = np.array([[0, 2000, 0], [0, 0, 2000], [2000, 0, 0]], dtype=np.float32)
    (tag,) = tag_spans(logits, [("x",)])
    assert tag == TokenTag("x", 0, 1, 1.0)

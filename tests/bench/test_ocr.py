"""The benchmark of text in pictures: how errors are counted, and the whole where the extra is there."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.bench import bench
from caveat.bench.ocr import edits_between
from caveat.core.errors import CaveatError


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [("", "", 0), ("", "ab", 2), ("boat", "coat", 1), ("oars", "soar", 2), ("押金", "金", 1)],
)
def test_edits(one: str, other: str, edits: int) -> None:
    assert edits_between(one, other) == edits


@given(st.text("ab", max_size=12), st.text("ab", max_size=12))
def test_edits_are_the_same_both_ways(one: str, other: str) -> None:
    edits = edits_between(one, other)
    assert edits == edits_between(other, one)
    assert abs(len(one) - len(other)) <= edits <= max(len(one), len(other))


@pytest.mark.skipif(find_spec("rapidocr") is not None, reason="the extra `ocr` is there")
def test_without_the_extra_the_command_is_named() -> None:
    with pytest.raises(CaveatError, match=r"needs rapidocr, of the extra `ocr`: pip install"):
        bench("ocr")


@pytest.mark.slow
@pytest.mark.skipif(find_spec("rapidocr") is None, reason="needs the extra `ocr`")
def test_pages_are_recognised() -> None:
    measured = bench("ocr")
    assert [row[:2] for row in measured.rows[:1]] == [("English", "as drawn")]
    assert all(isinstance(row[2], float) and row[2] < 30 for row in measured.rows)

"""Answers given as regular expressions, among them some that would never come to an end."""

from __future__ import annotations

import pytest

from caveat.benchmarks.mrqa.sources import build
from caveat.benchmarks.mrqa.sources.build import is_pattern, matching_spans


@pytest.mark.parametrize(
    "pattern", ["(" * 5000 + ")" * 5000, "(a", "a{1,99999999999999999999}", "a" * 20_000]
)
def test_what_is_no_pattern(pattern: str) -> None:
    assert not is_pattern(pattern)


def test_a_pattern_that_is_tried_in_ever_more_ways_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_SECONDS", 1)
    for pattern in ("(a+)+$", "(a|aa)+$"):
        assert is_pattern(pattern)
        assert matching_spans(pattern, "a" * 60 + "!") == []


def test_such_a_pattern_finds_what_it_can() -> None:
    assert matching_spans("(9|1[0-5])( to (9|1[0-5]))+ h", "Open 9 to 12 to 15 H.") == [(5, 20)]
    assert matching_spans("brook(e)?", "Ada Brook and Brooke") == [(4, 9), (14, 20)]

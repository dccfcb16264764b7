from __future__ import annotations

from pathlib import Path

import pytest

from caveat.core.errors import UsageError
from caveat.core.limits import VARIABLE, Limits, current_limits, limits, over
from caveat.sources.read import parse_file

BOOK = Path(__file__).parents[1] / "fuzz" / "seeds" / "book.xlsx"


def test_a_limit_is_changed_for_what_is_inside() -> None:
    with limits(question=5, pages=7):
        assert (current_limits().question, current_limits().pages) == (5, 7)
        with limits(pages=8):
            assert (current_limits().question, current_limits().pages) == (5, 8)
        assert str(over("question", "The question has 6 characters")).startswith(
            "The question has 6 characters (the limit `question` is 5; "
        )
    assert current_limits() == Limits()


def test_the_environment_changes_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "question=5_000, pages=3")
    assert (current_limits().question, current_limits().pages) == (5000, 3)
    assert current_limits().scenario == Limits().scenario


def test_a_limit_that_no_timer_can_wait_for_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "seconds=99999999999")
    with pytest.raises(
        UsageError, match=r"^The limit seconds must be at most 31,622,400, got 99,999,999,999\.$"
    ):
        current_limits()
    monkeypatch.delenv(VARIABLE)
    with (
        pytest.raises(UsageError, match="The limit memory_bytes must be at most"),
        limits(memory_bytes=1 << 80),
    ):
        pass
    with limits(seconds=31_622_400, answer_seconds=31_622_400, memory_bytes=1 << 60, source_bytes=1 << 60):
        assert parse_file(BOOK.read_bytes(), "book.xlsx").tables


@pytest.mark.parametrize("text", ["question", "question=many", "question=0", "questions=5"])
def test_what_is_no_limit_is_said(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(UsageError):
        current_limits()

from __future__ import annotations

import pytest

from caveat.core.errors import UsageError
from caveat.core.limits import VARIABLE, Limits, current_limits, limits, over


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


@pytest.mark.parametrize("text", ["question", "question=many", "question=0", "questions=5"])
def test_what_is_no_limit_is_said(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(UsageError):
        current_limits()

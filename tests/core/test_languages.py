from __future__ import annotations

import pytest

from caveat.core.languages import count_han, is_han, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("谁是微软的创始人？", "zh"),
        ("NBA的总冠军是谁", "zh"),
        ("The name 北京 means northern capital", "en"),
        ("Who founded it?", "en"),
        ("", "en"),
        ("1984", "en"),
        ("臺灣", "zh"),
    ],
)
def test_language_of(text: str, language: str) -> None:
    assert language_of(text) == language


def test_han() -> None:
    assert is_han("㐀")
    assert is_han("𠀀")
    assert is_han("〇")
    assert not is_han("あ")
    assert not is_han("，")
    assert count_han("A股上涨 3%") == 3

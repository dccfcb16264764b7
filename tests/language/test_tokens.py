"""Texts as numbered tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.tokens import END, Vocabulary, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("石桥建于1892年。", ["石", "桥", "建", "于", "1892", "年"]),
        ("The Wins, 1,234 km", ["the", "win", "1234", "km"]),
        ("cities' running stopped glasses", ["citi", "run", "stop", "glass"]),
        ("Ibričić’s NBA总冠军", ["ibric", "nba", "总", "冠", "军"]),
        ("3.5 km; ＡＢＣ１", ["3.5", "km", "abc", "1"]),
        ("—…\x1f!", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_the_same_token_has_the_same_number() -> None:
    vocabulary = Vocabulary()
    first = vocabulary.encode(["the wins", "", "win"])
    assert first.tolist() == [1, 2, END, END, 2, END]
    assert vocabulary.encode(["Win the"]).tolist() == [2, 1, END]
    assert vocabulary.encode([]).tolist() == []


@given(st.lists(st.text(st.sampled_from("ab 1,.石桥\x1fé'’s\n"), max_size=12), max_size=5))
def test_every_text_has_one_end_and_as_many_tokens_as_alone(texts: list[str]) -> None:
    encoded = Vocabulary().encode(texts).tolist()
    assert encoded.count(END) == len(texts)
    assert len(encoded) - len(texts) == sum(len(tokens(text)) for text in texts)

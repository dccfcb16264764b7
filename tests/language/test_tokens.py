"""Texts as numbered tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.tables.lexicon import lexicon
from caveat.answerers.tables.tokens import stem as table_stem
from caveat.language.tokens import END, STOP_TOKENS, STOP_WORDS, Vocabulary, tokens


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


def test_words_as_they_are_compared() -> None:
    assert {"the", "how", "的", "几"} <= STOP_WORDS
    assert not {"ship", "year", "人", "年"} & STOP_WORDS
    assert all(word == word.lower() and len(tokens(word)) == 1 for word in STOP_WORDS)


def test_their_stems_are_those_of_tables() -> None:
    assert frozenset(map(table_stem, STOP_WORDS)) == lexicon().stop_words
    assert table_stem("names") in lexicon().stop_words


def test_stop_words_are_left_out_of_stems() -> None:
    # As they are written, "does", "only" and "why" would not be among "doe", "onli" and "whi".
    assert [token for token in tokens("why does only the hall open") if token not in STOP_TOKENS] == [
        "hall",
        "open",
    ]

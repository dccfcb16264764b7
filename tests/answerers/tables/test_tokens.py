from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.tables.tokens import fold, stem, stems_of, tokens


@pytest.mark.parametrize(
    "words",
    [
        ("game", "games", "Game's"),
        ("score", "scores", "scored", "scoring"),
        ("country", "countries"),
        ("won", "winner", "winners", "win", "wins"),
        ("April", "Apr"),
        ("written", "wrote", "writer"),
        ("directed", "director"),
        ("box", "boxes"),
        ("1,115", "1115"),
        ("São", "sao", "ＳＡＯ"),
    ],
)
def test_forms_of_one_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({stem(fold(word)) for word in words}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("class", "clay"), ("bus", "bu"), ("2004", "200"), ("city", "cite")]
)
def test_other_words_have_others(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_tokens_of_a_mixed_text() -> None:
    assert stems_of("N37, 3ª 2004-05 北京2020") == ("n37", "3a", "2004", "05", "北", "京", "2020")


@given(st.text(max_size=60))
def test_tokens_are_slices_of_the_folded_text_in_order(text: str) -> None:
    folded = fold(text)
    end = 0
    for token in tokens(folded):
        assert end <= token.start < token.end <= len(folded)
        assert stem(folded[token.start : token.end]) == token.stem
        end = token.end

from __future__ import annotations

from caveat.answerers.tables.lexicon import lexicon
from caveat.answerers.tables.tokens import stem
from caveat.language.stop_words import STOP_WORDS
from caveat.language.tokens import tokens


def test_words_as_they_are_compared() -> None:
    assert {"the", "how", "的", "几"} <= STOP_WORDS
    assert not {"ship", "year", "人", "年"} & STOP_WORDS
    assert all(word == word.lower() and len(tokens(word)) == 1 for word in STOP_WORDS)


def test_their_stems_are_those_of_tables() -> None:
    assert frozenset(map(stem, STOP_WORDS)) == lexicon().stop_words
    assert stem("names") in lexicon().stop_words

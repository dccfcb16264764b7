"""Words that say nothing, in the form in which texts are compared."""

from __future__ import annotations

from caveat.language.tokens import STOP_TOKENS, tokens


def test_stop_words_are_left_out_of_stems() -> None:
    # As they are written, "does", "only" and "why" would not be among "doe", "onli" and "whi".
    assert [token for token in tokens("why does only the hall open") if token not in STOP_TOKENS] == [
        "hall",
        "open",
    ]

"""Where a span may begin and end: never inside a word, and some kinds only at the edges of clauses."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.models.encoding import EncodedText

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Limits", "clause_limits", "word_limits"]

# Scripts that write their words apart (Latin, Greek, Cyrillic, Armenian) and digits come before this.
_FIRST_OTHER = "\u0590"


class Limits(NamedTuple):
    """For every token, whether a span may begin with it, and whether one may end with it."""

    begin: NDArray[np.bool_]
    end: NDArray[np.bool_]


def word_limits(text: EncodedText) -> Limits:
    """Everywhere but inside a word or number: a tokenizer's pieces of words are not for spans to end in."""

    def between_words(before: str, after: str) -> bool:
        return not (_in_word(before) and _in_word(after))

    return Limits(_edges(text, text.starts, between_words), _edges(text, text.ends, between_words))


def clause_limits(text: EncodedText) -> Limits:
    """Only next to punctuation, blanks and the text's ends: a span is a row of whole clauses.

    Of the conditions that CMQA's annotators marked all but one in 1,944 begin and end so, while nine of ten
    characters are ruled out.
    """
    return Limits(
        _edges(text, text.starts, lambda before, after: _divides(before)),
        _edges(text, text.ends, lambda before, after: _divides(after)),
    )


def _edges(
    text: EncodedText, places: NDArray[np.int32], is_edge: Callable[[str, str], bool]
) -> NDArray[np.bool_]:
    """Which places are edges by the characters on their two sides; the text's own ends always are."""
    characters, length = text.text, len(text.text)
    return np.array(
        [not 0 < at < length or is_edge(characters[at - 1], characters[at]) for at in places.tolist()],
        dtype=np.bool_,
    )


def _in_word(character: str) -> bool:
    return character < _FIRST_OTHER and character.isalnum()


def _divides(character: str) -> bool:
    return not character.isalnum() and (
        character.isspace() or unicodedata.category(character).startswith("P")
    )

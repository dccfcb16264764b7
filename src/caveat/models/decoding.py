"""From a window's logits to its best spans, from the spans of all windows to distinct ones; where a span may end.

The score of a span is its log-odds against "no answer" in its own window: start logit plus end logit, minus the
two logits of the first token. That makes the scores of different windows comparable, where bare logits are not.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from caveat.models.encoding import EncodedText

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_NEVER = np.float32(-np.inf)

# Scripts that write their words apart (Latin, Greek, Cyrillic, Armenian) and digits come before this.
_FIRST_OTHER = "\u0590"


class TokenSpan(NamedTuple):
    """Tokens `first` to `last`, inclusive, and start plus end logit."""

    first: int
    last: int
    score: float


class Candidate(msgspec.Struct, frozen=True):
    """A span of a text that may be the answer; `text` is the text's `start:end`, the score is its log-odds."""

    text: str
    start: int
    end: int
    score: float


def best_spans(
    start: NDArray[np.float32],
    end: NDArray[np.float32],
    longest: int,
    count: int,
    parts: NDArray[np.int32] | None = None,
) -> list[TokenSpan]:
    """At most `count` spans of at most `longest` tokens, best first, no two of which share a token.

    The logits are those of the context alone. Each span is the best of all that keep clear of those before it;
    of equal ones the first is taken, and of those the shortest. Time and memory grow with length × longest.
    `parts` has for each token the number of the part that a span with it has to stay in, or -1 where it is in none.
    """
    length = len(start)
    if not length:
        return []
    width = min(longest, length)
    padded = np.concatenate([end, np.full(width - 1, _NEVER, dtype=np.float32)])
    # band[i, d] is the span from i to i + d, reached[i, d] the best one from i that ends at i + d or before.
    band = start[:, None] + np.lib.stride_tricks.sliding_window_view(padded, width)
    if parts is not None:
        own = np.concatenate([parts, np.full(width - 1, -1, dtype=np.int32)])
        apart = np.lib.stride_tricks.sliding_window_view(own, width) != parts[:, None]
        band[apart | (parts < 0)[:, None]] = _NEVER
    reached = np.maximum.accumulate(band, axis=1)
    best = reached[:, -1].copy()
    found: list[TokenSpan] = []
    while len(found) < count:
        first = int(best.argmax())
        score = float(best[first])
        if not score > _NEVER:
            break
        room = min((span.first for span in found if span.first > first), default=length) - first
        last = first + int(band[first, :room].argmax())
        # What begins between the span before and this one must now end before this one.
        free = max((span.last + 1 for span in found if span.last < first), default=0)
        rows = np.arange(max(free, first - width + 1), first)
        best[rows] = reached[rows, first - 1 - rows]
        best[first : last + 1] = _NEVER
        found.append(TokenSpan(first, last, score))
    return found


def distinct_places(candidates: Iterable[Candidate], count: int) -> list[Candidate]:
    """At most `count` candidates of one text, best first: of those that share a character the best is kept.

    Of equal scores the earlier place comes first, then the shorter.
    """
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.start, c.end)):
        if len(kept) == count:
            break
        if all(candidate.end <= other.start or other.end <= candidate.start for other in kept):
            kept.append(candidate)
    return kept


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

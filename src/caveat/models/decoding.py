"""From a window's logits to its best spans, and from the spans of all windows to distinct ones.

The score of a span is its log-odds against "no answer" in its own window: start logit plus end logit, minus the
two logits of the first token. That makes the scores of different windows comparable, where bare logits are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Candidate", "TokenSpan", "best_spans", "distinct_places"]

_NEVER = np.float32(-np.inf)


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
    start: NDArray[np.float32], end: NDArray[np.float32], longest: int, count: int
) -> list[TokenSpan]:
    """At most `count` spans of at most `longest` tokens, best first, no two of which share a token.

    The logits are those of the context alone. Each span is the best of all that keep clear of those before it;
    of equal ones the first is taken, and of those the shortest. Time and memory grow with length × longest.
    """
    length = len(start)
    if not length:
        return []
    width = min(longest, length)
    padded = np.concatenate([end, np.full(width - 1, _NEVER, dtype=np.float32)])
    # band[i, d] is the span from i to i + d, reached[i, d] the best one from i that ends at i + d or before.
    band = start[:, None] + np.lib.stride_tricks.sliding_window_view(padded, width)
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

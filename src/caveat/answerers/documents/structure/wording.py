"""The few characters beside a span and at its ends, by which "for instance", "also" and "if" are known."""

from __future__ import annotations

import numpy as np

from caveat.answerers.documents.structure.layout import Layout

__all__ = ["wordings"]

# Longer text between two spans is no joint any more.
_LONGEST_JOINT = 5


def wordings(layout: Layout) -> dict[str, list[str]]:
    """For each place its words, one a span; "" where there is none.

    `before N` and `all before` reach back to the span before, `close before N` into it; `clause` is how the clause
    begins that the span stands in.
    """
    text = layout.text
    starts, ends = layout.start.tolist(), layout.end.tolist()
    previous, following = _previous_ends(layout), _following_starts(layout)
    before = list(zip(previous, starts, strict=True))
    after = list(zip(ends, following, strict=True))
    own = list(zip(starts, ends, strict=True))
    clauses = zip(layout.clause_start.tolist(), starts, strict=True)
    found = {
        "all before": [text[low:high] if high - low <= _LONGEST_JOINT else "" for low, high in before],
        "all after": [text[low:high] if high - low <= _LONGEST_JOINT else "" for low, high in after],
        "clause": [text[low : min(low + 2, high)] for low, high in clauses],
    }
    for length in (1, 2, 3):
        found[f"before {length}"] = [text[max(low, high - length) : high] for low, high in before]
        found[f"close before {length}"] = [text[max(0, at - length) : at] for at in starts]
        found[f"after {length}"] = [text[at : at + length] for at in ends]
    for length in (1, 2):
        found[f"first {length}"] = [text[low : min(low + length, high)] for low, high in own]
        found[f"last {length}"] = [text[max(low, high - length) : high] for low, high in own]
    return found


def _previous_ends(layout: Layout) -> list[int]:
    """Where the last span before each ends; 0 for the first."""
    ends = np.sort(layout.end)
    before: list[int] = np.append(0, ends)[np.searchsorted(ends, layout.start, "right")].tolist()
    return before


def _following_starts(layout: Layout) -> list[int]:
    """Where the next span after each begins; the text's end for the last."""
    starts = np.append(layout.start, len(layout.text))
    after: list[int] = starts[np.searchsorted(layout.start, layout.end)].tolist()
    return after

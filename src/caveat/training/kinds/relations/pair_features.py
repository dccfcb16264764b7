"""Which spans may belong together, and what their places say of it, as codes that a network looks up."""

from __future__ import annotations

import numpy as np

from caveat.answerers.documents.structure.layout import Integers, Layout
from caveat.answerers.documents.structure.spans import KINDS

__all__ = ["FEATURES", "legal_pairs", "pair_features"]

# Upper bounds of the classes into which distances fall, in tokens and in characters.
_GAPS = np.array([0, 1, 2, 3, 5, 8, 12, 18, 26, 40, 60, 100, 200])
# So many spans of a kind between two others, and more, count alike.
_MANY = 4

# The kinds of both, their order, both distances, the spans of each kind between them, and the sentence.
_SIZES = np.array([3, 3, len(_GAPS) + 1, len(_GAPS) + 1, *[_MANY + 1] * len(KINDS), 2])
_BEFORE, _OVERLAPPING, _AFTER = range(3)

FEATURES = int(_SIZES.sum())
"""How many codes there are: every feature has its own."""


def legal_pairs(kind: Integers) -> Integers:
    """Heads and tails, [pairs, 2]: every condition with every answer, every coarse answer with every fine one."""
    return np.stack(np.nonzero(kind[:, None] < kind), axis=1)


def pair_features(layout: Layout, first: Integers, last: Integers, pairs: Integers) -> Integers:
    """The codes of pairs of spans, [pairs, features]; `first` and `last` are the spans' own tokens."""
    head, tail = pairs.T
    start, end = layout.start, layout.end
    order = np.select(
        [end[head] <= start[tail], end[tail] <= start[head]], [_BEFORE, _AFTER], default=_OVERLAPPING
    )
    left, right = np.where(order == _AFTER, (tail, head), (head, tail))
    columns = [
        # Kinds are 0, 1 and 2: condition and coarse, condition and fine, coarse and fine make 0, 1 and 2.
        layout.kind[head] + layout.kind[tail] - 1,
        order,
        _class(first[right] - last[left] - 1),
        _class(start[right] - end[left]),
        *(_between(start[layout.kind == kind], end[left], start[right]) for kind in range(len(KINDS))),
        layout.sentence[head] == layout.sentence[tail],
    ]
    codes: Integers = np.stack(columns, axis=1) + np.cumsum(_SIZES) - _SIZES
    return codes


def _class(gap: Integers) -> Integers:
    return np.searchsorted(_GAPS, gap)


def _between(starts: Integers, low: Integers, high: Integers) -> Integers:
    """How many of the starts, which ascend, are from `low` to `high`, exclusive; none of spans that overlap."""
    return np.clip(np.searchsorted(starts, high) - np.searchsorted(starts, low), 0, _MANY)

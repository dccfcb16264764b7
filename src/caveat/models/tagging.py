"""From a token's scores for B, I and O to typed spans: the best legal tagging, and how probable each span is.

A layer is a tuple of kinds whose spans never overlap each other; its columns are O, then B and I of each kind. Spans
of different layers may overlap. Every token's columns of a layer are a distribution, and a tagging is legal if an I
follows a B or an I of its own kind and if every span begins and ends where its kind may. The probability of a span is
the share that the taggings with exactly this span have among all legal ones; a temperature above 1 makes it less sure
of itself, without changing which tagging is best.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from caveat.models.boundaries import Limits

from caveat.models.log_odds import log_softmax

__all__ = ["Layers", "TokenTag", "column_count", "tag_spans"]

Layers = Sequence[Sequence[str]]

_NEVER = -math.inf
# Weights below this are enlarged.
_SMALL = 1e-100


class TokenTag(NamedTuple):
    """A span of a kind: tokens `first` to `last`, inclusive, and its probability."""

    kind: str
    first: int
    last: int
    score: float


class _Layer(NamedTuple):
    """A layer's weights, token by token: of O, and for each kind of B, of I and of a span's ending there.

    Plain numbers are faster than arrays, one token at a time.
    """

    outside: list[float]
    kinds: list[list[list[float]]]


def column_count(layers: Layers) -> int:
    """The number of scores that a token has."""
    return sum(1 + 2 * len(kinds) for kinds in layers)


def tag_spans(
    logits: NDArray[np.float32],
    layers: Layers,
    *,
    temperature: float = 1.0,
    limits: Mapping[str, Limits] = MappingProxyType({}),
) -> list[TokenTag]:
    """The spans of the best legal tagging of every layer, layer by layer, from left to right.

    `logits` are [length, columns]; `limits` says for a kind at which tokens its spans may begin and end, where that
    is not everywhere. Time grows with length × kinds.
    """
    found: list[TokenTag] = []
    at = 0
    for kinds in layers:
        columns = logits[:, at : at + 1 + 2 * len(kinds)].astype(np.float64) / temperature
        at += 1 + 2 * len(kinds)
        if not len(columns):
            continue
        logs = log_softmax(columns)
        spans = _best(_layer(logs, kinds, limits, impossible=_NEVER, possible=0.0))
        if not spans:
            continue
        scores = _probabilities(_layer(np.exp(logs), kinds, limits, impossible=0.0, possible=1.0), spans)
        found.extend(
            TokenTag(kinds[kind], first, last, score)
            for (kind, first, last), score in zip(spans, scores, strict=True)
        )
    return found


def _layer(
    weights: NDArray[np.float64],
    kinds: Sequence[str],
    limits: Mapping[str, Limits],
    *,
    impossible: float,
    possible: float,
) -> _Layer:
    """The columns as lists, with the limits in them."""
    table = np.empty((len(weights), len(kinds), 3))
    table[:, :, :2] = weights[:, 1:].reshape(len(weights), len(kinds), 2)
    table[:, :, 2] = possible
    for number, kind in enumerate(kinds):
        if kind in limits:
            table[~limits[kind].begin, number, 0] = impossible
            table[~limits[kind].end, number, 2] = impossible
    return _Layer(weights[:, 0].tolist(), table.tolist())


def _best(layer: _Layer) -> list[tuple[int, int, int]]:
    """Kind, first and last token of every span of the best tagging, over log probabilities (Viterbi).

    Where two are equally good, silence comes before a span, and one span before two.
    """
    count = len(layer.kinds[0])
    closed = 0.0  # the best tagging of the tokens so far whose spans have all ended
    opened = [_NEVER] * count  # the best in which a span of the kind goes on to this token
    begun = [0] * count
    choices: list[tuple[int, int] | None] = []
    for at, (outside, kinds) in enumerate(zip(layer.outside, layer.kinds, strict=True)):
        best, choice = closed + outside, None
        for kind, (begin, inside, end) in enumerate(kinds):
            fresh, longer = closed + begin, opened[kind] + inside
            if fresh > longer:
                opened[kind] = longer = fresh
                begun[kind] = at
            else:
                opened[kind] = longer
            if longer + end > best:
                best, choice = longer + end, (kind, begun[kind])
        closed = best
        choices.append(choice)
    spans = []
    at = len(choices) - 1
    while at >= 0:
        if (choice := choices[at]) is not None:
            spans.append((*choice, at))
            at = choice[1]
        at -= 1
    return spans[::-1]


def _probabilities(layer: _Layer, spans: Sequence[tuple[int, int, int]]) -> list[float]:
    """How probable each span is among all legal taggings, over probabilities (forward and backward)."""
    before, after = _before(layer), _after(layer)
    total = _log(*before[-1])
    scores = []
    for kind, first, last in spans:
        own = _log(layer.kinds[first][kind][0]) + sum(
            _log(layer.kinds[at][kind][1]) for at in range(first + 1, last + 1)
        )
        scores.append(min(1.0, math.exp(_log(*before[first]) + own + _log(*after[last + 1]) - total)))
    return scores


def _before(layer: _Layer) -> list[tuple[float, float]]:
    """For every number of tokens the weight of all their taggings whose spans have all ended, and its scale."""
    closed, opened = 1.0, [0.0] * len(layer.kinds[0])
    scale = 0.0
    found = [(closed, scale)]
    for outside, kinds in zip(layer.outside, layer.kinds, strict=True):
        total = closed * outside
        for kind, (begin, inside, end) in enumerate(kinds):
            opened[kind] = weight = closed * begin + opened[kind] * inside
            total += weight * end
        closed = total
        if (most := max(closed, *opened)) < _SMALL:
            closed, opened, scale = _enlarged(most, closed, opened, scale)
        found.append((closed, scale))
    return found


def _after(layer: _Layer) -> list[tuple[float, float]]:
    """The same for the taggings of all tokens from each number on, if no span comes in from before."""
    closed, longer = 1.0, [0.0] * len(layer.kinds[0])  # longer: the token after belongs to the same span
    scale = 0.0
    found = [(closed, scale)]
    for outside, kinds in zip(reversed(layer.outside), reversed(layer.kinds), strict=True):
        total = closed * outside
        for kind, (begin, inside, end) in enumerate(kinds):
            weight = closed * end + longer[kind]
            total += begin * weight
            longer[kind] = inside * weight
        closed = total
        if (most := max(closed, *longer)) < _SMALL:
            closed, longer, scale = _enlarged(most, closed, longer, scale)
        found.append((closed, scale))
    return found[::-1]


def _enlarged(
    most: float, closed: float, others: list[float], scale: float
) -> tuple[float, list[float], float]:
    """Weights divided by their largest, so that those of a long text do not come to nothing."""
    if not most:
        return closed, others, scale
    return closed / most, [weight / most for weight in others], scale + math.log(most)


def _log(weight: float, scale: float = 0.0) -> float:
    return math.log(weight) + scale if weight > 0 else _NEVER

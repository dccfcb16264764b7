"""Relations by position alone: the rules that a fitted model has to beat."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from caveat.answerers.documents.structure.spans import Pair, Span, in_order
from caveat.language.sentences import sentences

__all__ = ["nearest_coarse", "nearest_condition", "nearest_condition_of_the_uppermost"]


def nearest_condition(spans: Iterable[Span]) -> list[Pair]:
    """Each answer with the last condition that begins before it."""
    ordered = in_order(spans)
    conditions = [span for span in ordered if span.kind == "condition"]
    return _nearest(conditions, [span for span in ordered if span.kind != "condition"])


def nearest_condition_of_the_uppermost(context: str, spans: Iterable[Span]) -> list[Pair]:
    """The same, leaving a fine answer after a coarse one in its sentence to that: the condition is the coarse one's.

    A line end ends a sentence here, as everywhere in `text.sentences`.
    """
    ordered = in_order(spans)
    starts = [start for start, _ in sentences(context)]
    under = {
        fine
        for coarse, fine in nearest_coarse(ordered)
        if bisect_right(starts, coarse.start) == bisect_right(starts, fine.start)
    }
    return [(condition, answer) for condition, answer in nearest_condition(ordered) if answer not in under]


def nearest_coarse(spans: Iterable[Span]) -> list[Pair]:
    """Each fine answer with the last coarse one that begins before it."""
    ordered = in_order(spans)
    coarse = [span for span in ordered if span.kind == "coarse"]
    return _nearest(coarse, [span for span in ordered if span.kind == "fine"])


def _nearest(heads: Sequence[Span], tails: Iterable[Span]) -> list[Pair]:
    starts = [head.start for head in heads]
    return [(heads[at - 1], tail) for tail in tails if (at := bisect_right(starts, tail.start))]

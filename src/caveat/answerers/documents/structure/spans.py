"""Typed spans of a context and the pairs of them that belong together, and the way to CMQA's samples and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan, SpanRelation

__all__ = ["KINDS", "Kind", "Pair", "Span", "in_order", "spans_of", "with_relations"]

Kind = Literal["condition", "coarse", "fine"]
KINDS: tuple[Kind, ...] = ("condition", "coarse", "fine")


class Span(msgspec.Struct, frozen=True):
    """A condition or an answer, `context[start:end]`."""

    kind: Kind
    start: int
    end: int


Pair = tuple[Span, Span]
"""A condition and its answer, or a coarse answer and a finer one: head and tail."""


def in_order(spans: Iterable[Span]) -> list[Span]:
    """The spans, each once, from left to right; of those that begin together the widest first."""
    return sorted(set(spans), key=lambda span: (span.start, -span.end, KINDS.index(span.kind)))


def spans_of(sample: CmqaSample) -> list[Span]:
    """The spans of a sample from left to right."""
    return in_order(Span(kind, span.start, span.end) for kind in KINDS for span in getattr(sample, kind))


def with_relations(sample: CmqaSample, pairs: Iterable[Pair]) -> CmqaSample:
    """The sample with these relations in the place of its own."""
    found: dict[tuple[Kind, Kind], list[SpanRelation]] = {
        ("condition", "coarse"): [],
        ("condition", "fine"): [],
        ("coarse", "fine"): [],
    }
    for head, tail in pairs:
        found[head.kind, tail.kind].append(SpanRelation(_labelled(sample, head), _labelled(sample, tail)))
    condition_coarse, condition_fine, coarse_fine = map(tuple, found.values())
    return msgspec.structs.replace(
        sample, condition_coarse=condition_coarse, condition_fine=condition_fine, coarse_fine=coarse_fine
    )


def _labelled(sample: CmqaSample, span: Span) -> LabelledSpan:
    return LabelledSpan(sample.context[span.start : span.end], span.start, span.end)

"""CMQA's samples as typed spans and the pairs of them that belong together, and the way back."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from caveat.answerers.documents.structure.relations import Relater
from caveat.answerers.documents.structure.spans import KINDS, Kind, Pair, Span, in_order
from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan, SpanRelation

__all__ = ["related_sample", "spans_of", "with_relations"]


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


def related_sample(relater: Relater, sample: CmqaSample) -> CmqaSample:
    """The sample with the relations that are found among its spans, in the place of its own."""
    related = relater.relate(sample.context, spans_of(sample), sample.question)
    return with_relations(sample, [each.pair for each in related])

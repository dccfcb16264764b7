"""What of a work is compared: its verdict, and its spans and links by their places, whatever their ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping

from caveat.annotation.records import Span, Work

__all__ = ["labels", "span_texts", "typed_labels"]

Place = tuple[int, int]


def typed_labels(work: Work) -> Mapping[str, frozenset[Hashable]]:
    """The places under each kind of span, and the pairs of places under each kind of link."""
    places = {span.id: (span.start, span.end) for span in work.spans}
    found: dict[str, set[Hashable]] = defaultdict(set)
    for span in work.spans:
        found[span.kind].add((span.start, span.end))
    for link in work.links:
        found[link.kind].add((places[link.source], places[link.target]))
    return {kind: frozenset(members) for kind, members in found.items()}


def labels(work: Work) -> frozenset[Hashable]:
    """All that two annotators must have in common to agree; that an answer is a span is told by the span."""
    typed = {(kind, label) for kind, members in typed_labels(work).items() for label in members}
    return frozenset(typed if work.verdict == "span" else {("verdict", work.verdict), *typed})


def span_texts(context: str, work: Work, kind: str) -> list[tuple[Span, str]]:
    """The spans of a kind from left to right, with their texts."""
    chosen = sorted(
        (span for span in work.spans if span.kind == kind), key=lambda span: (span.start, span.end)
    )
    return [(span, context[span.start : span.end]) for span in chosen]

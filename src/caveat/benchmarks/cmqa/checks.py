"""Is CMQA data sound? Offsets, relations, and the principles of its annotation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan, SpanRelation, read
from caveat.benchmarks.shared.checks import (
    Finding,
    FirstLines,
    Place,
    empty_context,
    empty_question,
    quote,
    shared_rules,
)
from caveat.core.files import PathLike

RULES = {
    **shared_rules("empty-question", "empty-context", "offset-mismatch"),
    "duplicate-sample": "The same question on the same context stands in the file twice.",
    "duplicate-span": "A span is listed twice under one type.",
    "overlapping-spans": "Two spans of one type share characters.",
    "touching-spans": (
        "Two spans of one type have nothing between them: what is one answer is annotated as one (a "
        "list written without commas is found too)."
    ),
    "coarse-levels": "A coarse answer is also a fine one, or stands within another coarse one.",
    "mostly-annotated": (
        "Spans cover more than half of the context, so that little was chosen; true of one published "
        "sample in six, mostly where the conditions are long."
    ),
    "duplicate-relation": "A relation is listed twice.",
    "relation-end": "An end of a relation is no span of the sample, or one of the wrong type.",
}

# More than this share of the context within spans is hardly a choice of what answers the question.
MOST = 0.5

Samples = FirstLines[tuple[str, str]]


def check(data: PathLike) -> Iterator[Finding]:
    """The findings in a CMQA file, as a stream."""
    samples: Samples = FirstLines()
    for line, sample in read(data):
        id = sample.extra.get("id")
        place = Place(str(data), line, None if id is None else str(id))
        yield from empty_context(sample.context, place)
        yield from empty_question(sample.question, place)
        yield from duplicate_sample(sample, place, samples)
        yield from offset_mismatch(sample, place)
        for kind, spans in _spans(sample):
            yield from duplicate_span(kind, spans, place)
            yield from overlapping_spans(kind, spans, place)
            yield from touching_spans(kind, spans, place)
        yield from coarse_levels(sample, place)
        yield from mostly_annotated(sample, place)
        for kind, relations, heads, tails in _relations(sample):
            yield from duplicate_relation(kind, relations, place)
            yield from relation_end(kind, relations, heads, tails, place)


def duplicate_sample(sample: CmqaSample, place: Place, samples: Samples) -> Iterator[Finding]:
    """The same question on the same context as before."""
    if before := samples.see((sample.context, sample.question), place.line):
        yield place.finding("duplicate-sample", f"the same context and question stand {before}")


def offset_mismatch(sample: CmqaSample, place: Place) -> Iterator[Finding]:
    """A span, in a list or as the end of a relation, whose text is not what stands at its offsets."""
    ends = [
        end
        for _, found, _, _ in _relations(sample)
        for relation in found
        for end in (relation.head, relation.tail)
    ]
    listed = [span for _, spans in _spans(sample) for span in spans]
    for span in dict.fromkeys(listed + ends):
        stands = sample.context[span.start : span.end] if 0 <= span.start < span.end else ""
        if stands == span.text and span.text:
            continue
        at = sample.context.find(span.text) if span.text else -1
        where = f"stands at {at}" if at >= 0 else "is not in the context"
        yield place.finding(
            "offset-mismatch", f"{_offsets(span)} gives {quote(stands)}; {quote(span.text)} {where}"
        )


def duplicate_span(kind: str, spans: Sequence[LabelledSpan], place: Place) -> Iterator[Finding]:
    """A span listed twice under one type."""
    counts = Counter((span.start, span.end) for span in spans)
    for span in _distinct(spans):
        if (times := counts[span.start, span.end]) > 1:
            yield place.finding("duplicate-span", f"{kind} {_shown(span)} is listed {times} times")


def overlapping_spans(kind: str, spans: Sequence[LabelledSpan], place: Place) -> Iterator[Finding]:
    """Spans of one type that share characters; a coarse answer within another is told by `coarse-levels`."""
    for widest, span in _overlaps(spans):
        if kind != "coarse" or span.end > widest.end:
            yield place.finding("overlapping-spans", f"{kind} {_shown(span)} overlaps {_shown(widest)}")


def touching_spans(kind: str, spans: Sequence[LabelledSpan], place: Place) -> Iterator[Finding]:
    """Spans of one type with nothing between them: what is one answer is annotated as one."""
    for left, right in pairwise(_distinct(spans)):
        if left.end == right.start:
            yield place.finding(
                "touching-spans", f"{kind} {_shown(left)} and {_shown(right)} have nothing between them"
            )


def coarse_levels(sample: CmqaSample, place: Place) -> Iterator[Finding]:
    """A coarse answer that is a fine one too, or stands within another: there is one coarse level."""
    fine = {(span.start, span.end) for span in sample.fine}
    for span in _distinct(sample.coarse):
        if (span.start, span.end) in fine:
            yield place.finding("coarse-levels", f"{_shown(span)} is both a coarse and a fine answer")
    for widest, span in _overlaps(sample.coarse):
        if span.end <= widest.end:
            yield place.finding(
                "coarse-levels",
                f"the coarse answer {_shown(span)} is within the coarse answer {_shown(widest)}",
            )


def mostly_annotated(sample: CmqaSample, place: Place) -> Iterator[Finding]:
    """Spans, of whatever type, that together cover more than half of the context."""
    covered, reached = 0, 0
    for span in _distinct([span for _, spans in _spans(sample) for span in spans]):
        end = min(span.end, len(sample.context))
        covered += max(0, end - max(span.start, reached))
        reached = max(reached, end)
    if covered > MOST * len(sample.context):
        share = f"{covered} of {len(sample.context)} characters, {covered / len(sample.context):.0%}"
        yield place.finding("mostly-annotated", f"spans cover {share} of the context")


def duplicate_relation(kind: str, relations: Sequence[SpanRelation], place: Place) -> Iterator[Finding]:
    """A relation listed twice under one type."""
    for relation, times in Counter(relations).items():
        if times > 1:
            yield place.finding(
                "duplicate-relation",
                f"{kind} from {_shown(relation.head)} to {_shown(relation.tail)} is listed {times} times",
            )


def relation_end(
    kind: str,
    relations: Sequence[SpanRelation],
    heads: Sequence[LabelledSpan],
    tails: Sequence[LabelledSpan],
    place: Place,
) -> Iterator[Finding]:
    """A relation with an end that is no span of the sample of the type that belongs there."""
    known = {
        side: {(span.start, span.end) for span in spans} for side, spans in (("head", heads), ("tail", tails))
    }
    missing: dict[tuple[str, LabelledSpan], None] = {}
    for relation in relations:
        for side, end in (("head", relation.head), ("tail", relation.tail)):
            if (end.start, end.end) not in known[side]:
                missing[side, end] = None
    types = dict(zip(("head", "tail"), kind.split("_"), strict=True))
    for side, end in missing:
        yield place.finding(
            "relation-end", f"the {side} {_shown(end)} of {kind} is no {types[side]} span of the sample"
        )


def _spans(sample: CmqaSample) -> tuple[tuple[str, tuple[LabelledSpan, ...]], ...]:
    return ("condition", sample.condition), ("coarse", sample.coarse), ("fine", sample.fine)


def _relations(
    sample: CmqaSample,
) -> tuple[tuple[str, tuple[SpanRelation, ...], tuple[LabelledSpan, ...], tuple[LabelledSpan, ...]], ...]:
    """Each list of relations with the spans that its heads and its tails must be among."""
    return (
        ("condition_coarse", sample.condition_coarse, sample.condition, sample.coarse),
        ("condition_fine", sample.condition_fine, sample.condition, sample.fine),
        ("coarse_fine", sample.coarse_fine, sample.coarse, sample.fine),
    )


def _distinct(spans: Sequence[LabelledSpan]) -> list[LabelledSpan]:
    """The spans with characters, each once, from left to right, the wider first."""
    found = {(span.start, -span.end): span for span in spans if 0 <= span.start < span.end}
    return [found[key] for key in sorted(found)]


def _overlaps(spans: Sequence[LabelledSpan]) -> Iterator[tuple[LabelledSpan, LabelledSpan]]:
    """Each span that begins within one before it, after the one of these that reaches farthest."""
    widest: LabelledSpan | None = None
    for span in _distinct(spans):
        if widest is not None and span.start < widest.end:
            yield widest, span
        if widest is None or span.end > widest.end:
            widest = span


def _offsets(span: LabelledSpan) -> str:
    return f"[{span.start}, {span.end})"


def _shown(span: LabelledSpan) -> str:
    return f"{quote(span.text)} {_offsets(span)}"

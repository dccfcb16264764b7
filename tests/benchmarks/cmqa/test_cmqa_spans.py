"""CMQA's samples as spans, and back."""

from __future__ import annotations

from caveat.answerers.documents.structure.spans import Span
from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan, SpanRelation
from caveat.benchmarks.cmqa.predict import spans_of, with_relations

TEXT = "如果缺水，浇水，比如喷雾。"
CONDITION, COARSE, FINE = LabelledSpan("缺水", 2, 4), LabelledSpan("浇水", 5, 7), LabelledSpan("喷雾", 10, 12)
SAMPLE = CmqaSample(TEXT, "怎么办？", (CONDITION,), (COARSE,), (FINE,))


def test_a_sample_has_spans_of_three_kinds() -> None:
    assert spans_of(SAMPLE) == [Span("condition", 2, 4), Span("coarse", 5, 7), Span("fine", 10, 12)]


def test_pairs_become_the_relations_of_their_kinds() -> None:
    condition, coarse, fine = spans_of(SAMPLE)
    related = with_relations(SAMPLE, [(condition, coarse), (coarse, fine)])
    assert related.condition_coarse == (SpanRelation(CONDITION, COARSE),)
    assert related.coarse_fine == (SpanRelation(COARSE, FINE),)
    assert related.condition_fine == ()
    assert with_relations(related, []) == SAMPLE

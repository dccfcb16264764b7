"""Spans in order, and conditions that a sentence states outright."""

from __future__ import annotations

import pytest

from caveat.answerers.documents.structure.spans import Span, explicit_conditions, in_order


def span(text: str, part: str, kind: str = "fine") -> Span:
    start = text.index(part)
    return Span(kind, start, start + len(part))  # type: ignore[arg-type]


def test_spans_come_from_left_to_right_the_widest_first_and_once() -> None:
    spans = [Span("fine", 4, 6), Span("condition", 0, 6), Span("coarse", 0, 2), Span("fine", 4, 6)]
    assert in_order(spans) == [Span("condition", 0, 6), Span("coarse", 0, 2), Span("fine", 4, 6)]


@pytest.mark.parametrize("word", ["如果", "若", "要是", "一旦"])
def test_a_clause_that_says_if_is_a_condition_of_what_follows(word: str) -> None:
    text = f"平时放在散光处。{word}叶子发黄，可以施豆饼水。"
    found = explicit_conditions(text, [span(text, "豆饼水")])
    assert [text[each.start : each.end] for each in found] == [f"{word}叶子发黄"]
    assert found[0].kind == "condition"


def test_only_within_its_sentence_and_only_before_an_answer() -> None:
    text = "如果叶子发黄，不要着急。可以施豆饼水，如果有的话。"
    assert explicit_conditions(text, [span(text, "豆饼水")]) == []


def test_what_the_tagger_has_found_stays_as_it_is() -> None:
    text = "如果叶子发黄，可以施豆饼水。"
    tagged = [span(text, "如果叶子发黄", "condition"), span(text, "豆饼水")]
    assert explicit_conditions(text, tagged) == []
    assert explicit_conditions(text, [span(text, "叶子发黄", "condition"), span(text, "豆饼水")]) == []
    assert explicit_conditions(text, []) == []

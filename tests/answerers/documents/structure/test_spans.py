"""Spans in order, and conditions that a sentence states outright."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.structure.spans import Span, explicit_conditions, in_order, lay_out, wordings
from caveat.core.errors import InputError


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


def test_a_line_end_within_a_sentence_is_nothing() -> None:
    #          01234567 8 90123456
    context = "缺水时，要浇水，\n 比如喷雾。好。"
    layout = lay_out(context, [Span("coarse", 5, 7), Span("fine", 12, 14), Span("fine", 15, 16)])
    assert layout.text == "缺水时，要浇水，比如喷雾。好。"
    assert [layout.text[a:b] for a, b in zip(layout.start, layout.end, strict=True)] == ["浇水", "喷雾", "好"]
    assert layout.sentence.tolist() == [1, 1, 2]
    assert layout.clause_start.tolist() == [4, 8, 13]


def test_an_empty_line_ends_a_sentence() -> None:
    assert lay_out("浇水\n喷雾", [Span("fine", 0, 2), Span("fine", 3, 5)]).sentence.tolist() == [1, 1]
    assert lay_out("浇水\n \n喷雾", [Span("fine", 0, 2), Span("fine", 5, 7)]).sentence.tolist() == [1, 2]


@pytest.mark.parametrize("span", [Span("fine", -1, 2), Span("fine", 1, 1), Span("fine", 0, 9)])
def test_a_span_outside_the_context_is_refused(span: Span) -> None:
    with pytest.raises(
        InputError, match=r"the fine span \[.*\) is not within the 5 characters of the context"
    ):
        lay_out("甲乙丙丁戊", [span])


def test_nothing_at_all_has_a_layout() -> None:
    assert lay_out("", []).spans == []
    assert lay_out("甲乙", []).start.tolist() == []


def test_the_words_beside_a_span() -> None:
    layout = lay_out("可用清水，例如雨水等。", [Span("coarse", 2, 4), Span("fine", 7, 9)])
    words = wordings(layout)
    assert words["all before"] == ["可用", "，例如"]
    assert words["before 1"] == ["用", "如"]
    assert words["before 3"] == ["可用", "，例如"]
    assert words["close before 3"] == ["可用", "，例如"]
    assert words["all after"] == ["，例如", "等。"]
    assert words["after 2"] == ["，例", "等。"]
    assert words["clause"] == ["可用", "例如"]
    assert (words["first 1"], words["last 2"]) == (["清", "雨"], ["清水", "雨水"])


@given(st.text("甲乙，。\n ", min_size=1, max_size=40), st.data())
def test_what_a_span_holds_stays_the_same_without_blanks(context: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(context) - 1))
    end = data.draw(st.integers(start + 1, len(context)))
    layout = lay_out(context, [Span("fine", start, end)])
    assert layout.text[layout.start[0] : layout.end[0]] == "".join(context[start:end].split())
    assert 0 <= layout.clause_start[0] <= layout.start[0]

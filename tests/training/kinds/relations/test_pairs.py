"""Spans among tokens: which pairs there are, what is known of them, markers around them, windows that show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caveat.answerers.documents.structure.spans import Span, lay_out
from caveat.core.errors import InputError
from caveat.training.kinds.relations.pairs import (
    FEATURES,
    SpanText,
    encode_spans,
    legal_pairs,
    pair_features,
    windows_of,
)

pytest.importorskip("tokenizers")

# The first feature of each: the kinds, the order, tokens and characters between, spans of three kinds, one sentence.
KINDS, ORDER, TOKENS, CHARACTERS, CONDITIONS, COARSE, FINE, SENTENCE = 0, 3, 6, 20, 34, 39, 44, 49


def encoded(tokenizer: Any, context: str, spans: Iterable[Span], markers_from: int | None = None) -> SpanText:
    return encode_spans(tokenizer, context, spans, "谁？", max_question_tokens=8, markers_from=markers_from)


def test_every_condition_with_every_answer_and_every_coarse_with_every_fine() -> None:
    # Fine, condition, coarse, condition, fine.
    pairs = legal_pairs(np.array([2, 0, 1, 0, 2])).tolist()
    assert pairs == [[1, 0], [1, 2], [1, 4], [2, 0], [2, 4], [3, 0], [3, 2], [3, 4]]
    assert legal_pairs(np.zeros(0, np.int64)).shape == (0, 2)


def test_what_is_known_of_a_pair() -> None:
    context = "每周三，渡船 北岸。七点周明"
    condition, coarse = Span("condition", 0, 3), Span("coarse", 4, 6)
    fine, other, last = Span("fine", 7, 9), Span("fine", 5, 8), Span("fine", 10, 12)
    layout = lay_out(context, [condition, coarse, other, fine, last])
    assert layout.spans == [condition, coarse, other, fine, last]
    tokens = np.array([(0, 2), (4, 5), (5, 6), (6, 7), (9, 10)])
    pairs = np.array([(0, 4), (1, 2), (1, 3), (4, 3)])
    far, across, next_, back = pair_features(layout, tokens[:, 0], tokens[:, 1], pairs).tolist()
    # Six tokens and six characters without the blank are in the class above 5, the sixth; one coarse and two fine
    # answers between, in the next sentence.
    assert far == [KINDS + 1, ORDER, TOKENS + 5, CHARACTERS + 5, CONDITIONS, COARSE + 1, FINE + 2, SENTENCE]
    assert across == [KINDS + 2, ORDER + 1, TOKENS, CHARACTERS, CONDITIONS, COARSE, FINE, SENTENCE + 1]
    assert next_ == [KINDS + 2, ORDER, TOKENS, CHARACTERS, CONDITIONS, COARSE, FINE, SENTENCE + 1]
    # The head stands behind: order alone tells it, the distance is the same from both sides.
    assert back[1:4] == [ORDER + 2, TOKENS + 1, CHARACTERS + 1]
    assert FEATURES == SENTENCE + 2


def test_markers_stand_around_their_spans(tokenizer: Any) -> None:
    context = "每周三，渡船离开北岸"
    # A condition around a fine answer that ends with it, and a coarse one that begins where both end.
    condition, inner, coarse = Span("condition", 4, 8), Span("fine", 6, 8), Span("coarse", 8, 10)
    text = encoded(tokenizer, context, [coarse, inner, condition], markers_from=1000)
    shown = "".join(
        "⟨⟩‹›«»"[id - 1000] if id >= 1000 else tokenizer.id_to_token(int(id)).removeprefix("##")
        for id in text.text.ids
    )
    assert shown == "每周三，⟨渡船«离开»⟩‹北岸›"
    assert text.spans == [condition, inner, coarse]
    assert [shown[first : last + 1] for first, last in zip(text.first, text.last, strict=True)] == [
        "⟨渡船«离开»⟩",
        "«离开»",
        "‹北岸›",
    ]
    assert len(text.text.starts) == len(text.text.ends) == len(text.text)
    plain = encoded(tokenizer, context, [coarse, inner, condition])
    assert (plain.first.tolist(), plain.last.tolist()) == ([4, 6, 8], [7, 7, 9])
    # What is known of a pair is known of its spans, not of their markers.
    assert (plain.features == text.features).all()


spans = st.builds(
    lambda kind, start, length: Span(kind, start, min(24, start + length)),
    st.sampled_from(("condition", "coarse", "fine")),
    st.integers(0, 23),
    st.integers(1, 9),
)


@given(st.lists(spans, max_size=12))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_markers_change_nothing_else(tokenizer: Any, found: list[Span]) -> None:
    context = "集市在每周三举行由周明组织渡船每天早上七点离开北"
    assert len(context) == 24
    text = encoded(tokenizer, context, found, markers_from=1000)
    ids = text.text.ids
    assert ids[ids < 1000].tolist() == encoded(tokenizer, context, ()).text.ids.tolist()
    assert (ids >= 1000).sum() == 2 * len(set(found))
    for span, first, last in zip(text.spans, text.first, text.last, strict=True):
        kind = ("condition", "coarse", "fine").index(span.kind)
        assert (ids[first], ids[last]) == (1000 + 2 * kind, 1001 + 2 * kind)
        inside = ids[first : last + 1]
        assert (inside < 1000).sum() == span.end - span.start
    (sample,) = list(windows_of(text, 200, 100)) or [None]
    assert (sample is None) == (len(text.pairs) == 0)
    if sample:
        assert sample.pairs.tolist() == text.pairs.tolist()


def test_a_span_without_a_token_and_one_beyond_the_text(tokenizer: Any) -> None:
    context = "每周三\u200b\u200b渡船"
    lost = Span("condition", 3, 5)
    text = encoded(tokenizer, context, [lost, Span("condition", 0, 3), Span("fine", 5, 7)], 1000)
    assert lost not in text.spans
    assert text.pairs.tolist() == [[0, 1]]
    with pytest.raises(InputError, match=r"condition span \[5, 9\) is not within the 7 characters"):
        encoded(tokenizer, context, [Span("condition", 5, 9)])


def test_no_pairs_no_window(tokenizer: Any) -> None:
    for found in ([], [Span("fine", 0, 2)], [Span("fine", 0, 2), Span("fine", 2, 3)]):
        assert list(windows_of(encoded(tokenizer, "每周三", found, 1000), 50, 25)) == []
    assert list(windows_of(encoded(tokenizer, "", []), 50, 25)) == []


def test_a_hundred_spans_in_one_window(tokenizer: Any) -> None:
    kinds = ("condition", "coarse", "fine", "fine")
    found = [Span(kinds[at % 4], 2 * at, 2 * at + 2) for at in range(100)]
    text = encoded(tokenizer, "渡船" * 100, found, markers_from=1000)
    assert len(text.text) == 400
    (sample,) = windows_of(text, 420, 200)
    assert len(sample.pairs) == 25 * 25 + 25 * 50 + 25 * 50


def test_a_long_text_in_windows(tokenizer: Any) -> None:
    near, far = Span("fine", 4, 6), Span("fine", 54, 56)
    text = encoded(tokenizer, "渡船" * 30, [Span("condition", 0, 2), near, Span("condition", 50, 52), far])
    samples = list(windows_of(text, 32, 10))
    shown = [
        (text.spans[head].start, text.spans[tail].start) for sample in samples for head, tail in sample.pairs
    ]
    # Each pair once, and not the two that no window shows.
    assert shown == [(0, 4), (50, 54)]
    for sample in samples:
        assert sample.length <= 32
        (head, tail), window = sample.pairs[0], sample.window
        ids = window.text.ids[window.first : window.last]
        for span in (head, tail):
            own = ids[sample.first[span] : sample.last[span] + 1]
            assert own.tolist() == text.text.ids[:2].tolist()

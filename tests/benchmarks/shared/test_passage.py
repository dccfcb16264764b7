from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.shared.passage import GoldSpan, PassageQuestion, flatten, unflatten

SPANS = st.builds(
    GoldSpan, st.text(max_size=3), st.none() | st.integers(0, 9), st.just({}) | st.just({"id": 1})
)
ANSWERS = st.lists(st.lists(SPANS, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)


def test_plain_strings() -> None:
    assert flatten(PassageQuestion("q", "?", ((GoldSpan("a"),), (GoldSpan("b"),)))) == (["a", "b"], {})
    assert unflatten(["a", "b"], {}) == ((GoldSpan("a"),), (GoldSpan("b"),))


def test_several_spans_with_offsets() -> None:
    question = PassageQuestion("q", "?", ((GoldSpan("a", 0), GoldSpan("b", 4)), (GoldSpan("c"),)))
    assert flatten(question) == (["a", "b", "c"], {"answer_starts": [0, 4, None], "answer_parts": [2, 1]})


def test_lists_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="do not fit the 2 answers"):
        unflatten(["a", "b"], {"answer_starts": [1]})


@given(ANSWERS)
def test_there_and_back(answers: tuple[tuple[GoldSpan, ...], ...]) -> None:
    assert unflatten(*flatten(PassageQuestion("q", "?", answers))) == answers

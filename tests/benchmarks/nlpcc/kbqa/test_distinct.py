from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.nlpcc.kbqa_task import Distinct


@given(st.lists(st.text(max_size=2)))
def test_counts_each_text_once(texts: list[str]) -> None:
    distinct = Distinct()
    for text in texts:
        distinct.add(text)
    assert len(distinct) == len(set(texts))


def test_repetitions_do_not_pile_up() -> None:
    distinct = Distinct()
    for number in range(400_000):
        distinct.add(str(number % 1000))
    assert len(distinct) == 1000
    # Left alone, the buckets would hold all 400,000.
    assert sum(map(len, distinct._buckets)) < 270_000

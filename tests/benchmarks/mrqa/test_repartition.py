from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.mrqa.format import MrqaContext, MrqaQuestion
from caveat.benchmarks.mrqa.task import repartition, repartition_after_test


def context(text: str, *ids: str) -> MrqaContext:
    return MrqaContext(text, tuple(MrqaQuestion(id, "What?", ("x",)) for id in ids))


def ids(part: list[MrqaContext]) -> list[str]:
    return [question.qid for context in part for question in context.questions]


def test_both_filled_with_whole_contexts() -> None:
    contexts = [context(f"text {n}", *(f"{n}.{m}" for m in range(3))) for n in range(100)]
    dev, test = repartition(contexts, size=10)
    # Four contexts of three are the fewest that reach ten; the other 92 are in neither.
    assert (len(dev), len(test)) == (4, 4)
    assert len(set(ids(dev)) | set(ids(test))) == 24


def test_half_each_where_there_are_few() -> None:
    dev, test = repartition([context(f"text {n}", str(n)) for n in range(20)])
    assert (len(ids(dev)), len(ids(test))) == (10, 10)


def test_the_draw_is_by_a_hash_of_the_text() -> None:
    # sha256 begins 8ed3 for "alpha", f44e for "beta", be9d for "gamma", 4f4a for "delta".
    contexts = [context(text, text[0]) for text in ("alpha", "beta", "gamma", "delta")]
    dev, test = repartition(contexts)
    assert [drawn.context for drawn in dev] == ["delta", "alpha"]
    assert [drawn.context for drawn in test] == ["gamma", "beta"]


def test_contexts_of_one_text_stay_together() -> None:
    dev, test = repartition([context("alpha", "1"), context("delta", "2"), context("alpha", "3")], size=1)
    assert (ids(dev), ids(test)) == (["2"], ["1", "3"])


def test_the_original_test_set_comes_first() -> None:
    # The draw is delta, alpha, gamma, beta (above); "beta" is of the original test set, so it is first in test.
    others = [context(text, text[0]) for text in ("alpha", "delta", "gamma")]
    dev, test = repartition_after_test([context("beta", "b")], others, size=2)
    assert [drawn.context for drawn in test] == ["beta", "delta"]
    assert [drawn.context for drawn in dev] == ["alpha", "gamma"]


def test_nothing_of_the_original_test_set_is_developed_on() -> None:
    # Four questions, two for each part: gamma and delta fill the test part, beta has no room and is in neither.
    tested = [context(text, text[0]) for text in ("beta", "gamma", "delta")]
    dev, test = repartition_after_test(tested, [context("alpha", "a")], size=1500)
    assert (ids(dev), ids(test)) == (["a"], ["d", "g"])


def test_a_question_in_both_files_counts_once() -> None:
    others = [context("delta", "d"), context("alpha", "a"), context("delta", "more")]
    dev, test = repartition_after_test([context("delta", "d")], others, size=1)
    # "more" is asked of a text of the original test set, so it stands in test with it.
    assert (sorted(ids(test)), ids(dev)) == (["d", "more"], ["a"])


def test_empty() -> None:
    assert repartition([]) == ([], [])


numbered = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 4)), max_size=20).map(
    lambda items: [
        context(text, *(f"{number}.{m}" for m in range(count))) for number, (text, count) in enumerate(items)
    ]
)


@given(numbered, st.integers(1, 15), st.randoms(use_true_random=False))
def test_properties(contexts: list[MrqaContext], size: int, random: random.Random) -> None:
    dev, test = repartition(contexts, size)
    assert not {c.context for c in dev} & {c.context for c in test}

    shuffled = list(contexts)
    random.shuffle(shuffled)
    assert repartition(shuffled, size) == (dev, test)

    every, kept = sorted(ids(contexts)), sorted(ids(dev) + ids(test))
    largest = max(
        (sum(len(c.questions) for c in contexts if c.context == text) for text in "abcdefgh"), default=0
    )
    if len(every) < 2 * size:
        assert kept == every
        assert len(ids(dev)) * 2 >= len(every)
        assert abs(len(ids(dev)) - len(ids(test))) <= 2 * largest
    else:
        assert set(kept) <= set(every)
        assert size <= len(ids(dev)) < size + largest
        # What the first took beyond its size the second may lack.
        assert size - largest < len(ids(test)) < size + largest


@given(numbered, numbered, st.integers(1, 15))
def test_properties_with_an_original_test_set(
    tested: list[MrqaContext], others: list[MrqaContext], size: int
) -> None:
    dev, test = repartition_after_test(tested, others, size)
    assert not {c.context for c in dev} & {c.context for c in [*test, *tested]}
    assert len(ids(dev) + ids(test)) == len(set(ids(dev) + ids(test)))

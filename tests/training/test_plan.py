"""The plan of a run: which batch stands at which step."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.errors import CaveatError
from caveat.models.encoding import PairLayout
from caveat.training.kinds.reader.data import Corpus, EncodedPassage, EncodedQuestion
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe
from caveat.training.kinds.reader.samples import Plan
from caveat.training.recipe import Phase

LAYOUT = PairLayout((2,), (3,), (3,), 0, 1, 0)


def corpus(lengths: list[int]) -> Corpus:
    """Passages of so many tokens, a question on each, answered by its first token."""
    passages = tuple(
        EncodedPassage(array("i", range(n)), array("i", range(n)), array("i", range(1, n + 1)))
        for n in lengths
    )
    return Corpus(
        passages,
        tuple(EncodedQuestion(i, array("i", [i]), ((n // 2, n // 2 + 1),)) for i, n in enumerate(lengths)),
        {},
    )


def plan(lengths: list[int], weight: float, per_question: int, epochs: tuple[float, float]) -> Plan:
    recipe = ReaderRecipe(
        encoder="x",
        data=(ReaderDataSet(path="x", weight=weight),),
        phases=(
            Phase(window=20, stride=3, batch_size=3, epochs=epochs[0]),
            Phase(window=30, stride=9, batch_size=2, epochs=epochs[1]),
        ),
        negatives=0.4,
        windows_per_question=per_question,
    )
    return Plan(recipe, [corpus(lengths)], LAYOUT)


def seen(plan: Plan, step: int) -> list[list[tuple[int, int, int]]]:
    return [[(s.question[0], s.first, s.last) for s in batch] for batch in plan.batches_from(step)]


@given(
    st.lists(st.integers(1, 60), min_size=2, max_size=12),
    # Half a data set whose questions have different numbers of windows: no two epochs are of one size.
    st.sampled_from([0.5, 1.0, 1.5]),
    st.integers(0, 2),
    st.tuples(st.sampled_from([0.4, 1.0, 2.7]), st.sampled_from([0.4, 2.0])),
)
def test_a_run_can_be_started_at_any_step(
    lengths: list[int], weight: float, per_question: int, epochs: tuple[float, float]
) -> None:
    made = plan(lengths, weight, per_question, epochs)
    whole = seen(made, 0)
    assert len(whole) == made.steps
    for step in range(made.steps + 1):
        assert seen(made, step) == whole[step:]


def test_an_epoch_has_every_question_and_the_next_has_other_windows() -> None:
    made = plan([40] * 9, 1.0, 1, (2.0, 1.0))
    batches = seen(made, 0)
    first, second = batches[:5], batches[5:10]  # nine windows and four without the answer, in threes
    for epoch in (first, second):
        assert {question for batch in epoch for question, _, _ in batch} == set(range(9))
    assert first != second


def test_phases_follow_each_other_with_their_own_sizes() -> None:
    made = plan([40] * 6, 1.0, 1, (1.0, 1.0))
    batches = seen(made, 0)
    widths = [max(last - first for _, first, last in batch) for batch in batches]
    # Six windows and two without the answer, in threes; then all windows of 30 have it: six, in twos.
    assert len(widths) == 3 + 3
    assert all(width <= 16 for width in widths[:3])
    assert all(16 < width <= 26 for width in widths[3:])
    assert made.windows == 8 + 6 == sum(map(len, batches))


def test_a_phase_without_windows_is_told() -> None:
    with pytest.raises(CaveatError, match="Phase 0 has no windows"):
        plan([10], 0.1, 1, (1.0, 1.0))

"""From passages to windows: targets, negatives, weights, batches."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from caveat.core.errors import CaveatError
from caveat.models.encoding import PairLayout
from caveat.training.kinds.reader.data import Corpus, EncodedPassage, EncodedQuestion
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe
from caveat.training.kinds.reader.samples import Plan, Sample, Sampler
from caveat.training.recipe import Phase
from caveat.training.sampling import batches


def corpus(length: int, *answers: Sequence[tuple[int, int]]) -> Corpus:
    """A passage of `length` one-character tokens and a question of two tokens for each list of places."""
    tokens = array("i", range(length))
    passage = EncodedPassage(tokens, tokens, array("i", range(1, length + 1)))
    return Corpus(
        (passage,), tuple(EncodedQuestion(0, array("i", [7, 8]), tuple(places)) for places in answers), {}
    )


def drawn(
    *corpora: tuple[Corpus, float], window: int = 15, stride: int = 5, seed: str = "1", **settings: object
) -> list[tuple[int, int, tuple[int, int] | None]]:
    # Three special tokens and two of the question: a window of 15 has room for ten.
    sampler = Sampler(corpora, 3, window=window, stride=stride, **settings)  # type: ignore[arg-type]
    return [(sample.first, sample.last, sample.answer) for sample in sampler.epoch(seed)]


def test_every_window_with_the_whole_answer_is_a_target() -> None:
    assert drawn((corpus(20, [(6, 8)]), 1.0)) == [(0, 10, (6, 8)), (5, 15, (6, 8))]


def test_a_window_that_cuts_the_answer_is_neither_target_nor_negative() -> None:
    # 9:11 is whole in 5:15 alone; 0:10 cuts it.
    assert drawn((corpus(20, [(9, 11)]), 1.0), negatives=5.0) == [
        (5, 15, (9, 11)),
    ]  # 10:20 cuts it too


def test_the_target_is_the_first_occurrence_in_the_window_or_the_annotated_one() -> None:
    twice = corpus(20, [(7, 8), (1, 2)])  # annotated at 7, and once more before it
    assert drawn((twice, 1.0)) == [(0, 10, (1, 2)), (5, 15, (7, 8))]
    assert drawn((twice, 1.0), target="annotated") == [(0, 10, (7, 8)), (5, 15, (7, 8))]
    other = corpus(20, [(17, 18), (1, 2)])
    # The first window has the words but not the place: no target, and no negative either.
    assert drawn((other, 1.0), target="annotated", negatives=5.0) == [(10, 20, (17, 18)), (5, 15, None)]


def test_negatives_are_a_share_of_the_targets() -> None:
    far = corpus(60, *[[(1, 2)]] * 8)
    found = drawn((far, 1.0), negatives=0.5)
    assert sum(answer is not None for _, _, answer in found) == 8
    assert sum(answer is None for _, _, answer in found) == 4
    assert all(first > 1 for first, _, answer in found if answer is None)


def test_an_unanswerable_question_has_null_windows() -> None:
    assert drawn((corpus(15, []), 1.0)) == [(0, 10, None), (5, 15, None)]


def test_windows_per_question_takes_that_many_and_others_in_another_epoch() -> None:
    wide = corpus(40, [(20, 21)])
    seen = {tuple(drawn((wide, 1.0), stride=1, per_question=1, seed=str(seed))) for seed in range(30)}
    assert all(len(epoch) == 1 for epoch in seen)
    assert len(seen) > 3


def test_a_weight_repeats_or_thins_a_data_set() -> None:
    ten = corpus(8, *[[(1, 2)]] * 10)
    assert len(drawn((ten, 2.0))) == 20
    assert len(drawn((ten, 0.3))) == 3
    assert len(drawn((ten, 1.5), (ten, 1.0))) == 25


def test_an_answer_longer_than_the_window_is_counted() -> None:
    sampler = Sampler([(corpus(30, [(2, 20)], [(3, 4)]), 1.0)], 3, window=15, stride=5)
    assert sampler.too_long == 1
    assert len(sampler.epoch("1")) == 1


@given(
    st.integers(1, 80),
    st.integers(8, 40),
    st.integers(1, 30),
    st.sampled_from(["first", "annotated"]),
    st.data(),
)
def test_a_target_is_always_inside_its_window(
    length: int, window: int, stride: int, target: str, data: st.DataObject
) -> None:
    starts = data.draw(st.lists(st.integers(0, length - 1), max_size=3))
    places = [(start, min(length, start + 2)) for start in starts]
    for first, last, answer in drawn(
        (corpus(length, places), 1.0), window=window, stride=stride, target=target, negatives=1.0
    ):
        assert 0 <= first < last <= length
        assert last - first <= window - 5
        if answer is not None:
            assert first <= answer[0] < answer[1] <= last
            assert answer in places
        elif places:
            assert not any(place[0] < last and first < place[1] for place in places)


def samples(lengths: list[int]) -> list[Sample]:
    (passage,) = corpus(100).passages
    return [Sample(passage, array("i", [1]), 0, length, None) for length in lengths]


@given(st.lists(st.integers(1, 90), min_size=1, max_size=200), st.integers(1, 9))
def test_batches_have_every_window_once(lengths: list[int], size: int) -> None:
    made = batches(samples(lengths), size, "seed")
    assert sorted(sample.last for batch in made for sample in batch) == sorted(lengths)
    assert sum(len(batch) < size for batch in made) <= 1 + len(lengths) // (64 * size)
    assert [[s.last for s in b] for b in made] == [
        [s.last for s in b] for b in batches(samples(lengths), size, "seed")
    ]


def test_a_batch_has_windows_of_about_one_length() -> None:
    made = batches(samples([10, 80] * 40), 8, "seed")
    assert all(len({sample.last for sample in batch}) == 1 for batch in made)


def test_another_seed_gives_another_order() -> None:
    many = samples(list(range(1, 90)))
    first, second = ([[s.last for s in b] for b in batches(many, 4, seed)] for seed in ("1", "2"))
    assert first != second
    assert sorted(map(tuple, first)) == sorted(map(tuple, second))  # one pool: the same sorted order is cut


def test_a_window_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        drawn((corpus(20, [(1, 2)]), 1.0), window=5)


LAYOUT = PairLayout((2,), (3,), (3,), 0, 1, 0)


def long_corpus(lengths: list[int]) -> Corpus:
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
    return Plan(recipe, [long_corpus(lengths)], LAYOUT)


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

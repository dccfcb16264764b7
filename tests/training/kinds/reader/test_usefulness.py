# ruff: noqa: E402
"""Sampling by usefulness and feeding one set after another: what is drawn, and when it is measured."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from caveat.models.encoding import PairLayout
from caveat.training.kinds.reader.data import Corpus, EncodedPassage, EncodedQuestion
from caveat.training.kinds.reader.recipe import Feeding, ReaderDataSet, ReaderRecipe, Sampling, Usefulness
from caveat.training.kinds.reader.samples import (
    Plan,
    Sample,
    UsefulnessMeter,
    batches_by_usefulness,
    cosine,
    factors,
)
from caveat.training.recipe import Phase
from caveat.training.sampling import Endless

LAYOUT = PairLayout((2,), (3,), (3,), 0, 1, 0)


def test_cosines_by_hand() -> None:
    a, b = (
        [torch.tensor([3.0]), torch.tensor([[0.0, 4.0]])],
        [torch.tensor([3.0]), torch.tensor([[4.0, 0.0]])],
    )
    assert cosine(a, a) == pytest.approx(1.0)
    assert cosine(a, b) == pytest.approx(9 / 25)
    assert cosine(a, [-each for each in a]) == pytest.approx(-1.0)
    assert cosine(a, [0 * each for each in a]) == 0.0


def test_factors_draw_as_much_as_before() -> None:
    # A set of 10 that is twice as useful as one of 30: e^(2 × 0.3466) = 2.
    found = factors([math.log(2) / 2, 0.0], [10, 30], 2.0)
    assert found == pytest.approx([2 * 40 / 50, 40 / 50])
    assert factors([0.4, 0.4], [10, 30], 2.0) == pytest.approx([1.0, 1.0])


def corpus(questions: int, token: int) -> Corpus:
    tokens = array("i", [token] * 4)
    passage = EncodedPassage(tokens, array("i", range(4)), array("i", range(1, 5)))
    return Corpus((passage,), (EncodedQuestion(0, array("i", [token]), ((1, 2),)),) * questions, {})


def plan(sizes: list[int], *, epochs: float = 1.0, **settings: object) -> Plan:
    recipe = ReaderRecipe(
        encoder="x",
        data=tuple(ReaderDataSet(path=str(n), distant=n == 1) for n in range(len(sizes))),
        phases=(Phase(window=20, stride=5, batch_size=4, epochs=epochs),),
        negatives=0.0,
        **settings,  # type: ignore[arg-type]
    )
    return Plan(recipe, [corpus(size, 10 + n) for n, size in enumerate(sizes)], LAYOUT)


def domains(batches: object) -> list[list[int]]:
    return [sorted(sample.domain for sample in batch) for batch in batches]  # type: ignore[attr-defined]


def test_one_set_comes_after_another_in_every_epoch() -> None:
    made = plan([5, 8], epochs=2.0, feeding=Feeding(order="sets"))
    # Two batches of the first, one of a single window, then two of the second; and again.
    assert made.steps == 8
    assert [(set(batch)) for batch in domains(made.batches_from(0))] == [{0}, {0}, {1}, {1}] * 2
    assert domains(made.batches_from(3)) == domains(made.batches_from(0))[3:]


def test_mixed_batches_have_both_sets() -> None:
    mixed = plan([40, 40], feeding=Feeding(order="mixed"))
    assert any(len(set(batch)) == 2 for batch in domains(mixed.batches_from(0)))


def test_less_is_drawn_of_what_was_only_found() -> None:
    made = plan([8, 8], sampling=Sampling(distant=0.25))
    assert Counter(d for batch in domains(made.batches_from(0)) for d in batch) == {0: 8, 1: 2}


class Half(torch.nn.Module):
    """A loss whose gradient is the mean of the samples' tokens against 10: the target's direction is its own set's."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def loss(self, samples: list[Sample]) -> torch.Tensor:
        ten = sum(sample.question[0] == 10 for sample in samples) / len(samples)
        return (self.weight * torch.tensor([ten, 1 - ten])).sum()


def meter(network: Half, kept: SimpleNamespace, target: int) -> UsefulnessMeter:
    (sample, *_) = plan([4, 4]).sampler_of(0).epoch("1")[4 * target :]
    return UsefulnessMeter(
        network, kept, [sample], network.loss, Usefulness(every=5, windows=4, sharpness=1.0, memory=0.0)
    )


def kept() -> SimpleNamespace:
    return SimpleNamespace(cosines=torch.zeros(2), step=torch.tensor(-1))


def test_more_is_drawn_of_the_set_that_helps() -> None:
    made = plan([40, 40], sampling=Sampling(usefulness=Usefulness()))
    memory = kept()
    batches = list(batches_by_usefulness(made, meter(Half(), memory, target=1), 0))
    # The second set's gradient is the target's own, the first's at a right angle to it.
    assert memory.cosines.tolist() == pytest.approx([0.0, 1.0])
    drawn = Counter(d for batch in domains(batches) for d in batch)
    assert len(batches) == made.steps == 20
    assert drawn[1] / drawn[0] == pytest.approx(math.e, rel=0.15)


def test_a_run_that_goes_on_draws_the_same_and_does_not_measure_again() -> None:
    made = plan([40, 40], sampling=Sampling(usefulness=Usefulness()))
    memory, network = kept(), Half()
    whole = [domains([batch])[0] for batch in batches_by_usefulness(made, meter(network, memory, 1), 0)]
    # As a checkpoint in the middle of the second stretch has it.
    again = SimpleNamespace(cosines=torch.tensor([0.0, 1.0]), step=torch.tensor(5))
    assert domains(batches_by_usefulness(made, meter(network, again, 1), 7)) == whole[7:]


def test_batches_without_end_depend_on_their_number_alone() -> None:
    epochs = plan([10]).sampler_of(0)
    endless = Endless("seed", epochs, 4)
    numbers = [0, 7, 2, 40, 7]
    first = [[id(sample.question) for sample in endless.at(number)] for number in numbers]
    second = [[id(sample.question) for sample in Endless("seed", epochs, 4).at(number)] for number in numbers]
    assert first == second
    assert first[1] == first[4]

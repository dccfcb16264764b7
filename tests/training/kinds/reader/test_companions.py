# ruff: noqa: E402
"""The discriminator and its confusion: what each of the two losses is, and what it moves."""

from __future__ import annotations

import math
from array import array

import pytest

torch = pytest.importorskip("torch")

from caveat.models.encoding import PairLayout
from caveat.training.kinds.reader.data import EncodedPassage
from caveat.training.kinds.reader.layers import (
    AdversarialCompanion,
    Reading,
    divergence_from_uniform,
    reversed_gradient,
)
from caveat.training.kinds.reader.recipe import Adversarial
from caveat.training.kinds.reader.samples import Sample, collate

LAYOUT = PairLayout((2,), (3,), (3,), 0, 1, 0)


def test_knowing_nothing_costs_nothing() -> None:
    assert divergence_from_uniform(torch.tensor([[5.0, 5.0, 5.0], [0.0, 0.0, 0.0]])).item() == pytest.approx(
        0.0, abs=1e-6
    )


def test_knowing_something_costs_by_hand() -> None:
    # Probabilities 3/4 and 1/4: 1/2 log((1/2)/(3/4)) + 1/2 log((1/2)/(1/4)) = 1/2 log(4/3).
    scores = torch.tensor([[math.log(3.0), 0.0]])
    assert divergence_from_uniform(scores).item() == pytest.approx(0.5 * math.log(4 / 3))


def test_a_gradient_comes_back_reversed() -> None:
    states = torch.tensor([2.0, -1.0], requires_grad=True)
    (3 * reversed_gradient(states, 0.5)).sum().backward()
    assert states.grad.tolist() == [-1.5, -1.5]


def reading(states: torch.Tensor) -> Reading:
    tokens = array("i", [5, 6])
    passage = EncodedPassage(tokens, array("i", [0, 1]), array("i", [1, 2]))
    samples = [Sample(passage, array("i", [4]), 0, 2, (0, 1), domain) for domain in (0, 1)]
    return Reading(0, samples, collate(samples, LAYOUT), states)


@pytest.mark.parametrize("confusion", ["uniform", "reversal"])
def test_what_the_discriminator_learns_the_encoder_unlearns(confusion: str) -> None:
    discriminator = torch.nn.Linear(2, 2)
    with torch.no_grad():
        discriminator.weight.copy_(torch.tensor([[1.0, 0.0], [-1.0, 0.0]]))
        discriminator.bias.zero_()
    # First tokens that tell the two sets apart: +1 and -1 in the first place.
    states = torch.zeros(2, 6, 2)
    states[0, 0, 0], states[1, 0, 0] = 1.0, -1.0
    states.requires_grad_()
    companion = AdversarialCompanion(discriminator, Adversarial(weight=0.5, confusion=confusion))  # type: ignore[arg-type]
    companion.loss(reading(states)).backward()
    # A step against the gradient makes the discriminator surer, and the states harder to tell apart.
    assert discriminator.weight.grad[0, 0] < 0 < discriminator.weight.grad[1, 0]
    assert states.grad[0, 0, 0] > 0 > states.grad[1, 0, 0]
    assert not states.grad[:, 1:].any()


def test_the_confusion_moves_the_encoder_alone() -> None:
    discriminator = torch.nn.Linear(2, 2)
    states = torch.randn(2, 6, 2, generator=torch.Generator().manual_seed(1))
    alone = torch.nn.functional.cross_entropy(discriminator(states[:, 0]), torch.tensor([0, 1]))
    alone.backward()
    expected = discriminator.weight.grad.clone()
    discriminator.zero_grad()
    AdversarialCompanion(discriminator, Adversarial(weight=100.0)).loss(
        reading(states.requires_grad_())
    ).backward()
    assert torch.allclose(discriminator.weight.grad, expected)

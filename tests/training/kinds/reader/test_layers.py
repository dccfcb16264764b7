# ruff: noqa: E402
"""Layers between an encoder and the heads: who attends to whom, and how experts are mixed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from caveat.training.kinds.reader.layers import (
    AttentionOverAttention,
    MixtureOfExperts,
    Segments,
    TwoWayAttention,
    attend_over_attention,
    imbalance,
    masked_softmax,
)
from caveat.training.kinds.reader.recipe import Experts

ENCODER = SimpleNamespace(config=SimpleNamespace(hidden_size=4))
# [CLS] q q [SEP] c c [SEP], and the same shorter by a token of the passage, padded.
IDS = torch.tensor([[2, 7, 8, 3, 9, 10, 3], [2, 7, 8, 3, 9, 3, 0]])
MASK = torch.tensor([[1] * 7, [1] * 6 + [0]])


def segments() -> Segments:
    made = Segments()
    made.separator.fill_(3)
    return made


def test_question_and_passage_are_told_by_the_separator() -> None:
    question, passage = segments()(IDS, MASK)
    assert question.int().tolist() == [[0, 1, 1, 0, 0, 0, 0]] * 2
    # The first token counts to the passage; padding and separators are of neither.
    assert passage.int().tolist() == [[1, 0, 0, 0, 1, 1, 0], [1, 0, 0, 0, 1, 0, 0]]


def test_a_softmax_over_nothing_is_zero() -> None:
    scores = torch.tensor([[1.0, 1.0, 7.0], [1.0, 2.0, 3.0]])
    allowed = torch.tensor([[True, True, False], [False, False, False]])
    assert masked_softmax(scores, allowed, dim=1).tolist() == [[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]


def test_attentions_sum_as_they_must() -> None:
    products = torch.randn(2, 7, 7, generator=torch.Generator().manual_seed(2))
    question, passage = segments()(IDS, MASK)
    found = attend_over_attention(products, question, passage)
    # Over the passage for each question token, over the question for each passage token, and all in all.
    assert torch.allclose(found.over_passage.sum(dim=1), question.float(), atol=1e-6)
    assert torch.allclose(found.over_question.sum(dim=2), passage.float(), atol=1e-6)
    assert torch.allclose(found.combined.sum(dim=1), torch.ones(2), atol=1e-6)
    assert not found.combined[~passage].any()


def test_attention_over_attention_by_hand() -> None:
    # Two tokens of the passage (0 and 1), two of the question (2 and 3).
    question = torch.tensor([[False, False, True, True]])
    passage = ~question
    three = torch.log(torch.tensor(3.0))
    products = torch.zeros(1, 4, 4)
    products[0, 0, 2] = three
    found = attend_over_attention(products, question, passage)
    # α: of question token 2 3/4 goes to passage token 0, of 3 one half. β: passage token 0 looks at 2 with 3/4,
    # token 1 with 1/2; so 2 matters 5/8 and 3 matters 3/8.
    assert found.over_passage[0, :2, 2:].flatten().tolist() == pytest.approx([3 / 4, 1 / 2, 1 / 4, 1 / 2])
    assert found.over_question[0, :2, 2:].flatten().tolist() == pytest.approx([3 / 4, 1 / 4, 1 / 2, 1 / 2])
    assert found.combined[0, 0].item() == pytest.approx(3 / 4 * 5 / 8 + 1 / 2 * 3 / 8)


@pytest.mark.parametrize(
    "make", [lambda: AttentionOverAttention(ENCODER), lambda: TwoWayAttention(ENCODER, 3)]
)
def test_padding_changes_nothing(make: object) -> None:
    torch.manual_seed(4)
    layer = make().eval()  # type: ignore[operator]
    layer.segments.separator.fill_(3)
    states = torch.randn(1, 7, 4)
    padded = torch.cat((states, torch.full((1, 2, 4), 50.0)), dim=1)
    ids = torch.cat((IDS[:1], torch.zeros(1, 2, dtype=torch.long)), dim=1)
    mask = torch.cat((MASK[:1], torch.zeros(1, 2, dtype=torch.long)), dim=1)
    assert torch.allclose(layer(states, IDS[:1], MASK[:1]), layer(padded, ids, mask)[:, :7], atol=1e-5)


def test_experts_that_are_used_alike_are_balanced() -> None:
    assert imbalance(torch.full((5, 4), 0.25)).item() == pytest.approx(0.0)
    assert imbalance(torch.tensor([[1.0, 0.0], [0.0, 1.0]])).item() == pytest.approx(0.0)
    # One of three alone: one less than their number.
    assert imbalance(torch.tensor([[1.0, 0.0, 0.0]] * 2)).item() == pytest.approx(2.0)


def test_a_gate_mixes_what_the_experts_say() -> None:
    layer = MixtureOfExperts(ENCODER, Experts(count=2))
    layer.norm = torch.nn.Identity()
    for number, expert in enumerate(layer.experts):
        last = expert[2]  # type: ignore[index]
        torch.nn.init.zeros_(last.weight)
        torch.nn.init.constant_(last.bias, float(number))
    torch.nn.init.zeros_(layer.gate.weight)
    with torch.no_grad():
        layer.gate.bias.copy_(torch.tensor([0.0, 3.0]).log().nan_to_num(neginf=0.0))
    # Gates of 1/4 and 3/4, experts that say 0 and 1.
    found = layer(torch.zeros(2, 3, 4), IDS, MASK)
    assert found.flatten().tolist() == pytest.approx([0.75] * 24)
    assert layer.gates.flatten().tolist() == pytest.approx([0.25, 0.75] * 2)

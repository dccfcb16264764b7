# ruff: noqa: E402
"""Inference in torch: spans in a band, the best of all windows, and answers that are slices of the passage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from caveat.benchmarks.shared.passage import Passage, PassageQuestion
from caveat.training.kinds.reader.method import some_questions
from caveat.training.kinds.reader.network import ReaderNetwork, best_spans, new_reader, predict

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 14), st.integers(1, 6))
@settings(max_examples=50)
def test_the_band_gives_what_trying_every_span_gives(seed: int, length: int, most: int, n_best: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    start, end = torch.randn(1, length, generator=draw), torch.randn(1, length, generator=draw)
    allowed = torch.rand(1, length, generator=draw) < 0.7
    allowed[:, 0] = True
    expected = sorted(
        (
            (float(start[0, i] + end[0, j] - start[0, 0] - end[0, 0]), i, j)
            for i in range(1, length)
            for j in range(i, min(length, i + most))
            if allowed[0, i] and allowed[0, j]
        ),
        reverse=True,
    )[:n_best]
    (found,) = best_spans(start, end, allowed, most, n_best)
    assert [(first, last) for first, last, _ in found] == [(i, j) for _, i, j in expected]
    assert [score for _, _, score in found] == pytest.approx([score for score, _, _ in expected], abs=1e-5)


@pytest.fixture(scope="module")
def reader(encoder_folder: Path) -> tuple[ReaderNetwork, Tokenizer]:
    torch.manual_seed(5)
    return new_reader(str(encoder_folder))


@given(text=st.text(st.sampled_from("ab 语言，\t\n\u0301ÄﬁＡ１😀\u200d。"), max_size=120))
@settings(max_examples=25)
def test_an_answer_is_a_slice_of_its_passage(reader: tuple[ReaderNetwork, Tokenizer], text: str) -> None:
    passage = Passage(text, (PassageQuestion("q", "票价？"), PassageQuestion("r", "")))
    found = list(predict(*reader, [passage], window=40, stride=16, max_answer_tokens=8))
    assert [prediction.id for prediction in found] == ["q", "r"]
    for prediction in found:
        scores = [candidate.score for candidate in prediction.candidates]
        assert scores == sorted(scores, reverse=True)
        for candidate in prediction.candidates:
            assert candidate.text == text[candidate.start : candidate.end] != ""


def test_batches_do_not_change_the_answers(reader: tuple[ReaderNetwork, Tokenizer]) -> None:
    passages = [
        Passage("渡船每天早上七点离开北岸。" * count, (PassageQuestion(str(count), "渡船几点离开？"),))
        for count in (1, 7, 3)
    ]
    one, many = (list(predict(*reader, passages, window=60, stride=20, batch_size=size)) for size in (1, 16))
    assert [prediction.id for prediction in one] == ["1", "7", "3"]
    for first, second in zip(one, many, strict=True):
        assert first.text == second.text
        assert first.candidates[0].score == pytest.approx(second.candidates[0].score, abs=1e-4)


def test_nothing_is_answered_below_the_threshold(reader: tuple[ReaderNetwork, Tokenizer]) -> None:
    passage = Passage("票价三元。", (PassageQuestion("q", "票价？"),))
    (prediction,) = predict(*reader, [passage])
    best = prediction.candidates[0].score
    assert prediction.text_above(best - 1) == prediction.text != ""
    assert prediction.text_above(best) == ""
    (empty,) = predict(*reader, [Passage("", passage.questions)])
    assert (empty.text, empty.text_above(0)) == ("", "")


def test_some_questions_are_spread_over_the_file() -> None:
    passages = [Passage(str(n), tuple(PassageQuestion(f"{n}-{i}", "?") for i in range(3))) for n in range(10)]
    chosen = [question.id for passage in some_questions(passages, 5) for question in passage.questions]
    assert chosen == ["1-2", "3-2", "5-2", "7-2", "9-2"]
    assert some_questions(passages, 0) == passages == some_questions(passages, 40)

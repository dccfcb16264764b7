"""The ranker on a model whose scores are known by construction."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest

from caveat.core.errors import InputError
from caveat.models.card import read_card
from caveat.models.ranker import EMPTY, Ranker
from caveat.models.session import RANK_OUTPUTS, Session
from caveat.models.windowed_model import ReadRequest


@pytest.fixture(scope="module")
def ranker(ranker_folder: Path) -> Ranker:
    return Ranker.load(ranker_folder, threads=1)


def scores(ranker: Ranker, *pairs: tuple[str, str]) -> list[float]:
    return list(ranker.score(ReadRequest(question, text) for question, text in pairs))


def test_a_score_a_pair_in_order(ranker: Ranker) -> None:
    pairs = [("color red", "the dog"), ("color red", "red red color"), ("size", "size"), ("颜色", "颜的颜。")]
    assert scores(ranker, *pairs) == [-2, 1, -1, 0]
    assert scores(ranker) == []


def test_several_batches_at_once_give_the_same(ranker: Ranker, ranker_folder: Path) -> None:
    pairs = [("color red", "red " * (number % 19) + "cat " * (number % 7)) for number in range(300)]
    expected = [
        EMPTY if not text.strip() else min(number % 19, 19) - 2.0 for number, (_, text) in enumerate(pairs)
    ]
    assert scores(ranker, *pairs) == expected
    assert scores(Ranker.load(ranker_folder, threads=2), *pairs) == expected


def test_of_a_long_candidate_the_best_window_counts(ranker: Ranker) -> None:
    # A window has room for 27 tokens beside the two of the question and three special ones.
    assert scores(ranker, ("color red", "dog " * 500 + "red red red " + "cat " * 500)) == [1]
    assert scores(ranker, ("color red", "red " * 27)) == [25]
    assert scores(ranker, ("color red", "red " * 200))[0] <= 25


@pytest.mark.parametrize(("question", "text"), [("", "red"), (" ", "red"), ("red", ""), ("red", " \n")])
def test_nothing_to_read(ranker: Ranker, question: str, text: str) -> None:
    assert scores(ranker, (question, text), ("red", "red")) == [EMPTY, -1]
    assert math.isfinite(EMPTY)


def test_a_reader_is_no_ranker(reader_folder: Path) -> None:
    with pytest.raises(InputError, match="is a reader, not a ranker"):
        Ranker.load(reader_folder)


def test_another_graph_than_a_ranker_s(reader_folder: Path) -> None:
    card = msgspec.structs.replace(read_card(reader_folder), task="ranker")
    session = Session(reader_folder / "model.onnx", outputs=RANK_OUTPUTS, threads=1)
    with pytest.raises(InputError, match="expected the output rank_logits"):
        scores(Ranker(reader_folder, card, session), ("color", "color red"))

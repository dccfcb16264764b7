from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.squad import DUORC, read_duorc
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

PLOT = "Nell hides the map. Years later, the map is found by her son Tom."
FILM = {
    "id": "/m/1",
    "title": "The Map",
    "plot": PLOT,
    "qa": [
        {"id": "f1", "question": "What is hidden?", "answers": ["A map", "the map"], "no_answer": False},
        {"id": "f2", "question": "Where?", "answers": [], "no_answer": True},
        {"id": "f3", "question": "Who finds it?", "answers": ["Nell's son"], "no_answer": False},
        {"id": "f4", "question": "Why?", "answers": [""], "no_answer": False},
    ],
}


def test_answerable_questions_of_a_plot(tmp_path: Path, convert: Callable[..., Any]) -> None:
    (tmp_path / "dev.json").write_text(json.dumps([FILM]))
    (context,), drops = convert(DUORC, tmp_path / "dev.json")
    assert (context.context, context.extra["id"]) == (PLOT, "/m/1")
    (question,) = context.questions
    assert (question.extra["id"], question.answers) == ("f1", ("A map", "the map"))
    # Tokens: Nell hides the map . Years later , the map is found by her son Tom .
    spans = [[(p.start, p.end, p.first, p.last) for p in found.places] for found in question.detected]
    assert spans == [[(15, 18, 3, 4), (37, 40, 9, 10)], [(11, 18, 2, 4), (33, 40, 8, 10)]]
    assert drops.examples == {
        "unanswerable question": ["f2", "f4"],
        "no answer within the first 800 tokens": ["f3"],
    }


def test_squad_layout(tmp_path: Path, convert: Callable[..., Any]) -> None:
    answers = [{"text": "the map", "answer_start": 11}, {"text": "map", "answer_start": 15}]
    paragraph = {
        "context": PLOT,
        "qas": [
            {"id": "f1", "question": "What?", "answers": answers},
            {"id": "f2", "question": "Where?", "answers": []},
        ],
    }
    file = {"data": [{"title": "The Map", "paragraphs": [paragraph]}], "version": "1.1"}
    (tmp_path / "train.json").write_text(json.dumps(file))
    (context,), drops = convert(DUORC, tmp_path / "train.json")
    assert context.context == PLOT
    assert [(q.extra["id"], q.answers) for q in context.questions] == [("f1", ("the map", "map"))]
    assert drops.examples == {"unanswerable question": ["f2"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"id": "/m/1"', "broken JSON"),
        ('[{"id": "/m/1", "title": "T"}]', "has no `plot` or `qa`"),
        ('[{"id": "/m/1", "plot": "P", "qa": [{"id": "f9", "answers": []}]}]', "id f9: object missing"),
        ('[{"id": "/m/1", "plot": null, "qa": []}]', "id /m/1: expected `str`, got `null` at plot"),
    ],
)
def test_bad_input(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "dev.json").write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_duorc(tmp_path / "dev.json", Drops()))


@pytest.mark.shared
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_real_samples(shared: Path, convert_real: Callable[..., Any], split: str) -> None:
    folder = shared / "data/native/samples/hf_dummy/duorc__ParaphraseRC__1.0.0/dummy_data"
    path = folder / f"ParaphraseRC_{split}.json.gz"
    contexts, drops = convert_real(DUORC, path)
    with gzip.open(path) as file:
        asked = [question for film in json.load(file) for question in film["qa"]]
    kept = sum(len(context.questions) for context in contexts)
    assert kept + drops.counts.total() == len(asked)
    assert drops.counts["unanswerable question"] == sum(question["no_answer"] for question in asked)


@pytest.mark.shared
def test_real_subset_in_squad_layout(shared: Path, convert_real: Callable[..., Any]) -> None:
    contexts, drops = convert_real(DUORC, shared / "data/native/robustqa/oodomain_train_duorc.json.gz")
    kept = sum(len(context.questions) for context in contexts)
    assert kept + drops.counts.total() == 127
    assert kept >= 125

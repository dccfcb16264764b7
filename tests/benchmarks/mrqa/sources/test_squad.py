from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa import format as mrqa
from caveat.benchmarks.mrqa.sources.squad import SQUAD as SOURCE
from caveat.benchmarks.mrqa.sources.squad import read_squad
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

TEXT = "Lake Constance lies on the Rhine. The Rhine leaves it at Stein am Rhein."
SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Lake Constance",
            "paragraphs": [
                {
                    "context": TEXT,
                    "qas": [
                        {
                            "id": "q1",
                            "question": "Which river feeds the lake?",
                            "answers": [
                                {"text": "the Rhine", "answer_start": 23},
                                {"text": "Rhine", "answer_start": 27},
                                {"text": "the Rhine", "answer_start": 23},
                            ],
                            "is_impossible": False,
                        },
                        {"id": "q2", "question": "How deep is it?", "answers": [], "is_impossible": True},
                        {
                            "id": "q3",
                            "question": "How large is it?",
                            "answers": [{"text": "536 km²", "answer_start": 0}],
                        },
                    ],
                }
            ],
        }
    ],
}


def test_squad_as_it_is(tmp_path: Path, convert: Callable[..., Any]) -> None:
    (tmp_path / "dev.json").write_text(json.dumps(SQUAD))
    (context,), drops = convert(SOURCE, tmp_path / "dev.json")
    assert context.context == TEXT
    (question,) = context.questions
    assert question.extra["id"] == "q1"
    assert question.answers == ("the Rhine", "Rhine", "the Rhine")
    # Tokens: Lake Constance lies on the Rhine . The Rhine leaves it at Stein am Rhein .
    spans = [(p.start, p.end, p.first, p.last) for p in question.detected[0].places]
    assert spans == [(23, 32, 4, 6), (34, 43, 7, 9)]
    assert drops.examples == {
        "unanswerable question": ["q2"],
        "no answer within the first 800 tokens": ["q3"],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"data": [', "broken JSON"),
        ('{"articles": []}', "an object with `data`"),
        ('{"data": [{"paragraphs": [{"qas": []}]}]}', "missing required field `context`"),
        ('{"data": [{"paragraphs": [{"context": "a", "qas": [{"id": "q9"}]}]}]}', "id q9"),
    ],
)
def test_bad_input(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "dev.json").write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_squad(tmp_path / "dev.json", Drops()))


@pytest.mark.shared
def test_real_squad_against_the_official_mrqa_file(shared: Path, convert_real: Callable[..., Any]) -> None:
    contexts, drops = convert_real(SOURCE, shared / "data/squad/dev-v2.0.json.gz")
    ours = {question.extra["id"]: question for context in contexts for question in context.questions}
    assert len(ours) + drops.counts.total() == 11_873
    official = {
        str(question.extra.get("id")): question
        for context in mrqa.read(shared / "data/mrqa/SQuAD_dev.jsonl.gz")
        for question in context.questions
    }
    both = ours.keys() & official.keys()
    assert len(both) > 5_800
    assert all(ours[id].answers == official[id].answers for id in both)
    with gzip.open(shared / "data/squad/dev-v2.0.json.gz") as file:
        answerable = {
            qa["id"]
            for article in json.load(file)["data"]
            for paragraph in article["paragraphs"]
            for qa in paragraph["qas"]
            if qa["answers"]
        }
    # Which questions are dropped depends on where a tokeniser cuts; nearly all are the same.
    assert len((answerable & official.keys()) ^ ours.keys()) < 50


@pytest.mark.shared
@pytest.mark.parametrize(("name", "total"), [("squad_sample", 15), ("squad_sample_hist", 125)])
def test_real_multiqa_copy(shared: Path, convert_real: Callable[..., Any], name: str, total: int) -> None:
    contexts, drops = convert_real(SOURCE, shared / f"data/native/samples/multiqa/{name}.jsonl.gz")
    kept = sum(len(context.questions) for context in contexts)
    assert kept + drops.counts.total() == total
    assert kept >= total - 1

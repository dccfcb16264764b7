from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from caveat.benchmarks.convert import convert
from caveat.benchmarks.shared.passage import GoldSpan, gold_texts
from caveat.benchmarks.squad import format as squad
from caveat.core.errors import InputError

FILE: dict[str, Any] = {
    "version": "v2.0",
    "note": {"kept": True},
    "data": [
        {
            "title": "Rivers",
            "url": "rivers.example",
            "paragraphs": [
                {
                    "id": "R_0",
                    "context": "The Seine flows through Paris. The Seine is 777 km long.",
                    "index": 3,
                    "qas": [
                        {
                            "id": "q1",
                            "question": "Which river flows through Paris?",
                            "answers": [
                                {"text": "The Seine", "answer_start": 0},
                                {"text": "Seine", "answer_start": 35},
                            ],
                            "n_occurrences": 2,
                        },
                        {
                            "id": "q2",
                            "question": "Where is its mouth?",
                            "answers": [],
                            "is_impossible": True,
                            "plausible_answers": [{"text": "Paris", "answer_start": 24}],
                        },
                    ],
                },
                {"context": "No questions here.", "qas": []},
            ],
        },
        {
            "paragraphs": [
                {
                    "context": "原告到过甲医院和乙医院。",
                    "qas": [
                        {
                            "id": 7,
                            "question": "去过哪些医院？",
                            "is_impossible": "false",
                            "answers": [
                                [
                                    {"answer_start": 4, "text": "甲医院"},
                                    {"answer_start": 8, "text": "乙医院"},
                                ],
                                {"text": "乙医院", "answer_start": 8, "id": "1"},
                            ],
                        }
                    ],
                }
            ]
        },
    ],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "data.json"
    path.write_bytes(msgspec.json.encode(FILE))
    return path


def read_raw(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())


def test_reads(path: Path) -> None:
    file = squad.read(path)
    first, second, third = file.passages
    assert file.extra == {"version": "v2.0", "note": {"kept": True}}
    assert (first.id, first.title, first.article, second.article, third.article) == ("R_0", "Rivers", 0, 0, 1)
    q1, q2 = first.questions
    assert gold_texts(q1) == ["The Seine", "Seine"]
    assert q1.answers[1][0].end == 40
    assert q1.answerable
    assert not q2.answerable
    (q7,) = third.questions
    assert q7.id == "7"
    assert q7.answers[0] == (GoldSpan("甲医院", 4), GoldSpan("乙医院", 8))
    assert q7.answerable


def test_writes_what_it_read(path: Path, tmp_path: Path) -> None:
    file = squad.read(path)
    squad.write(tmp_path / "again.json", file.passages, file.extra)
    assert read_raw(tmp_path / "again.json") == FILE


def test_to_mrqa_and_back_loses_nothing(path: Path, tmp_path: Path) -> None:
    convert("squad", path, "mrqa", tmp_path / "mrqa.jsonl.gz")
    convert("mrqa", tmp_path / "mrqa.jsonl.gz", "squad", tmp_path / "back.json")
    assert read_raw(tmp_path / "back.json") == FILE


def test_a_missing_key(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"data": [{"paragraphs": [{"context": "x",\n "qas": [{"id": "q1", "answers": []}]}]}]}')
    with pytest.raises(InputError, match=r"id q1: object missing required field `question`"):
        squad.read(path)


def test_an_answer_that_is_a_string(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(
        '{"data":[{"paragraphs":[{"context":"x","qas":[{"id":"q1","question":"?","answers":["x"]}]}]}]}'
    )
    with pytest.raises(InputError, match="id q1: expected"):
        squad.read(path)

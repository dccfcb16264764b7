from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.task import count

HEADER = {"header": {"dataset": "Paint", "split": "dev"}}
# The file's tokens, not ours: "paint" in two pieces makes five.
RED = {
    "context": "Red and red paint",
    "context_tokens": [["Red", 0], ["and", 4], ["red", 8], ["pai", 12], ["nt", 15]],
    "qas": [
        {
            "qid": "1",
            "question": "Which colour?",
            "question_tokens": [["Which", 0], ["col", 6], ["our", 9], ["?", 12]],
            "answers": ["Red", "red", "scarlet"],
            "detected_answers": [
                {"text": "Red", "char_spans": [[0, 2], [8, 10]], "token_spans": [[0, 0], [2, 2]]},
                {"text": "red", "char_spans": [[0, 2], [8, 10]], "token_spans": [[0, 0], [2, 2]]},
            ],
        },
        {"qid": "2", "question": "What else?", "answers": ["green"], "detected_answers": []},
    ],
}
RAIN: dict[str, Any] = {
    "context": "It rained.",
    "qas": [
        {
            "qid": "3",
            "question": "What rained?",
            "answers": ["It rained"],
            "detected_answers": [{"text": "It rained", "char_spans": [[0, 8]], "token_spans": [[0, 1]]}],
        }
    ],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "paint.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (HEADER, RED, RAIN)), encoding="utf-8")
    return path


def test_counts(data: Path) -> None:
    assert count(data).counts == {
        "contexts": 2,
        "questions": 3,
        "answers": 5,
        "detected_answers": 3,
        "spans": 5,
        "questions_partly_detected": 1,
        "questions_without_detected_answer": 1,
        "mean_question_tokens": 10 / 3,  # 4 of the file; "What else ?" and "What rained ?" are 3
        "mean_context_tokens": 4.0,  # 5 of the file; "It rained ." is 3
        "longest_context": 5,
    }


def test_tables_name_the_data_set(data: Path) -> None:
    tables = {table.name: table.rows for table in count(data).tables}
    assert tables["Lengths in tokens (Paint dev)"] == (
        ("contexts", 2, 4.0, 4.0, 5),
        ("questions", 3, 10 / 3, 3.0, 4),
        ("spans", 5, 6 / 5, 1.0, 2),
    )
    assert tables["How many of each"] == (
        ("questions per context", 2, 1.5, 1.5, 2),
        ("answers per question", 3, 5 / 3, 1.0, 3),
        ("detected answers per question", 3, 1.0, 1.0, 2),
        ("spans per detected answer", 3, 5 / 3, 2.0, 2),
    )


def test_without_header_and_token_spans(tmp_path: Path) -> None:
    detected = [{"text": "It rained", "char_spans": [[0, 8]]}]
    line = {**RAIN, "qas": [{**RAIN["qas"][0], "detected_answers": detected}]}
    path = tmp_path / "rain.jsonl"
    path.write_text(json.dumps(line), encoding="utf-8")
    counted = count(path)
    assert counted.tables[0].name == "Lengths in tokens"
    assert counted.counts["spans"] == 1
    assert counted.tables[0].rows[2] == ("spans", 0, None, None, None)


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("", encoding="utf-8")
    counts = count(path).counts
    assert (counts["questions"], counts["mean_context_tokens"], counts["longest_context"]) == (0, None, None)

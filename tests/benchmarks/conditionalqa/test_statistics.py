from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.conditionalqa.task import count


def asked(
    id: str, answers: list[Any], evidences: int, scenario: str = "I am here.", page: str = "a"
) -> dict[str, Any]:
    return {
        "id": id,
        "url": f"https://example.org/{page}",
        "scenario": scenario,
        "question": "Can I go now?",
        "not_answerable": not answers,
        "answers": answers,
        "evidences": ["<p>You can go.</p>"] * evidences,
    }


IF, OR = "<p>if it is open</p>", "<li>it is day</li>"
QUESTIONS = [
    asked("1", [["yes", []]], 1),
    asked("2", [["yes", [IF]], ["no", [IF, OR]]], 3),
    asked("3", [["two weeks", []], ["a month", [IF, OR]], ["one year", []]], 2, "I wait and wait."),
    asked("4", [], 0),
    asked("5", [["Yes", []]], 4, page="b"),  # not exactly "yes": the scorer takes it for a span
]
DOCUMENTS = [
    {
        "title": "A",
        "url": "https://example.org/a",
        "contents": [
            "<h1>Doors</h1>",
            "<p>You can go.</p>",
            "<tr><td>Open</td><td>Shut</td></tr>",
            "plain text",
        ],
    },
    {"title": "C", "url": "https://example.org/c", "contents": ["<p>Wait.</p>"]},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(QUESTIONS), encoding="utf-8")
    return path


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    path = tmp_path / "documents.json"
    path.write_text(json.dumps(DOCUMENTS), encoding="utf-8")
    return path


def test_counts(data: Path) -> None:
    assert count(data).counts == {
        "questions": 5,
        "yes_no": 2,
        "extractive": 2,
        "unanswerable": 1,
        "deterministic": 2,
        "conditional": 2,
        "single_answer": 2,
        "several_answers": 2,
        "answers": 7,
        "conditions": 5,
        "urls": 2,
    }


def test_tables(data: Path) -> None:
    tables = {table.name: table.rows for table in count(data).tables}
    assert tables["Questions by kind"] == (
        ("answer: yes/no", 2, 40.0),
        ("answer: extractive", 2, 40.0),
        ("answer: none", 1, 20.0),
        ("deterministic", 2, 40.0),
        ("conditional", 2, 40.0),
        ("one answer", 2, 40.0),
        ("several answers", 2, 40.0),
    )
    assert tables["How many of each"] == (
        ("answers per answerable question", 4, 7 / 4, 1.5, 3),
        ("conditions per conditional answer", 3, 5 / 3, 2.0, 2),
        ("evidences per question", 5, 2.0, 2.0, 4),
    )
    assert tables["Lengths in words"] == (
        ("scenarios", 5, 16 / 5, 3.0, 4),
        ("questions", 5, 4.0, 4.0, 4),
        # two weeks, a month, one year, Yes
        ("extractive answers", 4, 7 / 4, 2.0, 2),
    )


def test_documents(data: Path, documents: Path) -> None:
    counted = count(data, documents)
    assert counted.counts["questions"] == 5
    assert counted.counts["documents"] == 2
    assert counted.counts["elements"] == 5
    assert counted.counts["questions_without_document"] == 1
    tables = {table.name: table.rows for table in counted.tables}
    assert tables["Documents"] == (
        ("elements per document", 2, 2.5, 2.5, 4),
        ("words per document", 2, 4.5, 4.5, 8),  # 1 + 3 + 2 + 2, and 1
    )
    assert tables["Elements by tag"] == (
        ("p", 2, 40.0),
        ("h1", 1, 20.0),
        ("tr", 1, 20.0),
        ("without tag", 1, 20.0),
    )

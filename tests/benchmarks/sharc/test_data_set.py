from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from caveat.benchmarks.sharc.data_set import count

YES = {"follow_up_question": "Is it open?", "follow_up_answer": "Yes"}


def utterance(
    id: str, answer: str, tree: str = "t", scenario: str = "", **lists: list[Any]
) -> dict[str, Any]:
    return {
        "utterance_id": id,
        "tree_id": tree,
        "source_url": "https://example.org/rules",
        "snippet": f"Rule of {tree}.",
        "question": "Can I go?",
        "scenario": scenario,
        "answer": answer,
        "history": lists.get("history", []),
        "evidence": lists.get("evidence", []),
    }


def written(folder: Path, *utterances: dict[str, Any]) -> Path:
    path = folder / "sharc.json"
    path.write_text(json.dumps(utterances), encoding="utf-8")
    return path


def test_answers_turns_and_lengths(tmp_path: Path) -> None:
    counted = count(
        written(
            tmp_path,
            utterance("1", "Yes", history=[YES, YES], scenario="I have a key."),
            utterance("2", "No", evidence=[YES], scenario="I am late."),
            utterance("3", "Irrelevant", tree="u"),
            utterance("4", "Is it open?"),
        )
    )
    assert counted.counts == {
        "utterances": 4,
        "trees": 2,
        "sources": 1,
        "snippets": 2,
        "with_scenario": 2,
        "with_history": 1,
        "with_evidence": 1,
    }
    tables = {table.name: table.rows for table in counted.tables}
    assert tables["Answers"] == (
        ("Yes", 1, 25.0),
        ("No", 1, 25.0),
        ("Irrelevant", 1, 25.0),
        ("follow-up question", 1, 25.0),
    )
    assert tables["How many of each"] == (
        ("earlier turns per utterance", 4, 0.5, 0.0, 2),
        ("turns the scenario answers", 4, 0.25, 0.0, 1),
    )
    assert tables["Lengths in words"] == (
        ("rule texts", 2, 3.0, 3.0, 3),
        ("questions", 4, 3.0, 3.0, 3),
        ("scenarios, where there is one", 2, 3.5, 3.5, 4),
    )


def test_a_test_file_has_no_answers(tmp_path: Path) -> None:
    rows = {row[0]: row[1] for row in count(written(tmp_path, utterance("1", ""))).tables[0].rows}
    assert rows["not given"] == 1
    assert rows["follow-up question"] == 0

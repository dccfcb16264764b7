from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from caveat.benchmarks.cmrc2018.task import check

CONTEXT = "海獭睡觉时手拉着手，它们吃海胆。" + "水" * 40


def squad_layout(path: Path, answers: list[tuple[str, int]]) -> Path:
    """One passage in SQuAD's layout: a question for each answer, the first on line 2."""
    qas = [
        {"id": f"Q{n}", "question": f"第{n}个问题？", "answers": [{"text": text, "answer_start": start}]}
        for n, (text, start) in enumerate(answers)
    ]
    lines = ",\n".join(json.dumps(qa, ensure_ascii=False) for qa in qas)
    head = '{"data": [{"paragraphs": [{"id": "P", "context": "' + CONTEXT + '", "qas": [\n'
    path.write_text(head + lines + "\n]}]}]}", encoding="utf-8")
    return path


def list_layout(path: Path, answers: list[str]) -> Path:
    """The same in the original layout."""
    qas = [
        {"query_id": f"Q{n}", "query_text": f"第{n}个问题？", "answers": [text]}
        for n, text in enumerate(answers)
    ]
    lines = ",\n".join(json.dumps(qa, ensure_ascii=False) for qa in qas)
    head = '[{"context_id": "P", "title": "海獭", "context_text": "' + CONTEXT + '", "qas": [\n'
    path.write_text(head + lines + "\n]}]", encoding="utf-8")
    return path


def test_sound_data_gives_no_finding_in_either_layout(tmp_path, told):
    for path in (
        squad_layout(tmp_path / "squad.json", [("海胆", 13)] * 5),
        list_layout(tmp_path / "list.json", ["海胆"] * 5),
    ):
        assert told(check(path), path) == []


def test_a_sixth_question(tmp_path, told):
    path = squad_layout(tmp_path / "squad.json", [("海胆", 13)] * 7)
    assert told(check(path), path) == [("too-many-questions", 7, "Q5")]
    path = list_layout(tmp_path / "list.json", ["海胆"] * 6)
    assert told(check(path), path) == [("too-many-questions", 7, "Q5")]


def test_an_answer_of_31_characters(tmp_path, told):
    path = squad_layout(tmp_path / "squad.json", [("水" * 30, 16), ("水" * 31, 16)])
    assert told(check(path), path) == [("long-answer", 3, "Q1")]


def test_squads_rules_apply_to_both_layouts(tmp_path, told):
    path = squad_layout(tmp_path / "squad.json", [("海胆", 12)])
    assert told(check(path), path) == [("offset-mismatch", 2, "Q0")]
    path = list_layout(tmp_path / "list.json", ["海胆", "海豹"])
    assert told(check(path), path) == [("answer-not-in-context", 3, "Q1")]


@pytest.mark.shared
def test_wrong_offsets_of_the_published_sets(shared):
    train = list(check(shared / "data/cmrc2018/train.json.gz"))
    assert Counter(finding.rule for finding in train) == {
        "offset-mismatch": 21,
        "long-answer": 2109,
        "too-many-questions": 2,
    }
    assert all(finding.line and finding.id for finding in train)
    trial = Counter(finding.rule for finding in check(shared / "data/cmrc2018/trial.json.gz"))
    assert trial == {"offset-mismatch": 5, "long-answer": 358, "empty-question": 2}

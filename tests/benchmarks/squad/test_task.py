from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.squad.task import check

CONTEXT = "Otters hold hands while they sleep. Otters eat sea urchins."


def question(id: str = "q1", text: str = "What do otters eat?", **more: Any) -> dict[str, Any]:
    return {"id": id, "question": text, "answers": [{"text": "sea urchins", "answer_start": 47}], **more}


def write(path: Path, questions: list[dict[str, Any]], context: str = CONTEXT) -> Path:
    """A SQuAD file with one passage, its first question on line 2, each next one on the next line."""
    head = '{"data": [{"paragraphs": [{"context": ' + json.dumps(context) + ', "qas": [\n'
    path.write_text(head + ",\n".join(json.dumps(q) for q in questions) + "\n]}]}]}", encoding="utf-8")
    return path


def test_sound_data_gives_no_finding(tmp_path, told):
    path = write(
        tmp_path / "squad.json",
        [
            question("q1"),
            question("q2", "What do they hold?", answers=[{"text": "hands", "answer_start": 12}] * 3),
            question("q3", "Who feeds otters?", answers=[], is_impossible=True),
            question(
                "q4", "Who pets otters?", answers=[{"text": "", "answer_start": -1}], is_impossible=True
            ),
            question("q5", "Who eats sea urchins?", answers=[{"text": "Otters"}], is_impossible=False),
        ],
    )
    assert told(check(path), path) == []


def test_a_test_file_has_no_answers_to_miss(tmp_path, told):
    path = write(tmp_path / "squad.json", [{"id": "q1", "question": "What do otters eat?"}])
    assert told(check(path), path) == []


BROKEN = {
    "offset-mismatch": question("q2", "Who sleeps?", answers=[{"text": "Otters", "answer_start": 1}]),
    "answer-not-in-context": question("q2", "Who sleeps?", answers=[{"text": "Seals", "answer_start": 0}]),
    "duplicate-id": question("q1", "Who sleeps?", answers=[{"text": "Otters", "answer_start": 0}]),
    "empty-question": question("q2", " "),
    "duplicate-question": question("q2", "What do otters eat? "),
    "no-answer": question("q2", "Who feeds them?", answers=[]),
    "empty-answer": question("q2", "Who?", answers=[{"text": "Otters", "answer_start": 0}, {"text": ""}]),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_finds_the_second_question(rule, tmp_path, told):
    path = write(tmp_path / "squad.json", [question("q1"), BROKEN[rule]])
    assert told(check(path), path) == [(rule, 3, BROKEN[rule]["id"])]


@pytest.mark.parametrize(
    ("flag", "answers"),
    [
        (True, [{"text": "Otters", "answer_start": 0}]),
        ("true", [{"text": "Otters", "answer_start": 0}]),
        (False, []),
        ("false", [{"text": "", "answer_start": -1}]),
    ],
)
def test_is_impossible_must_agree_with_the_answers(flag, answers, tmp_path, told):
    path = write(tmp_path / "squad.json", [question("q1", answers=answers, is_impossible=flag)])
    assert told(check(path), path) == [("answerability-contradiction", 2, "q1")]


def test_an_empty_context_is_found_at_its_first_question(tmp_path, told):
    questions = [
        question("q1", answers=[], is_impossible=True),
        question("q2", "?", answers=[], is_impossible=True),
    ]
    path = write(tmp_path / "squad.json", questions, context=" \n")
    assert told(check(path), path) == [("empty-context", 2, "q1")]


def messages(path: Path) -> list[str]:
    return [finding.message for finding in check(path)]


def test_a_wrong_offset_tells_what_stands_there_and_where_the_answer_is(tmp_path):
    wrong = question(answers=[{"text": "hands", "answer_start": 13}])
    path = write(tmp_path / "squad.json", [wrong])
    assert messages(path) == ['answer_start 13 gives "ands "; "hands" stands at 12']


def test_of_several_places_the_nearest_is_told(tmp_path):
    path = write(tmp_path / "squad.json", [question(answers=[{"text": "Otters", "answer_start": 30}])])
    assert messages(path) == ['answer_start 30 gives "leep. "; "Otters" stands at 36 (nearest of 2)']


@pytest.mark.parametrize("start", [-1, -23, 59, 1000])
def test_an_offset_outside_the_context_is_not_read_from_its_end(start, tmp_path):
    path = write(tmp_path / "squad.json", [question(answers=[{"text": "hands", "answer_start": start}])])
    assert messages(path) == [f'answer_start {start} is no offset of the context; "hands" stands at 12']


def test_an_answer_without_offset_is_looked_for(tmp_path):
    path = write(tmp_path / "squad.json", [question(answers=[{"text": "Seals"}])])
    assert messages(path) == ['"Seals" is not in the context']


def test_annotators_who_agree_give_one_finding(tmp_path):
    answer = {"text": "hands", "answer_start": 13}
    path = write(tmp_path / "squad.json", [question(answers=[answer, answer, answer])])
    assert len(messages(path)) == 1


def test_every_span_of_a_multi_span_answer_is_checked(tmp_path, told):
    spans = [{"text": "hands", "answer_start": 12}, {"text": "urchins", "answer_start": 0}]
    path = write(tmp_path / "squad.json", [question(answers=[spans])])
    assert told(check(path), path) == [("offset-mismatch", 2, "q1")]


def test_long_text_is_shortened_in_a_message(tmp_path):
    path = write(tmp_path / "squad.json", [question(answers=[{"text": "x" * 30 + "y" * 30}])])
    assert messages(path) == [f'"{"x" * 20} … {"y" * 14}" is not in the context']


@pytest.mark.shared
def test_wrong_offsets_of_published_sets(shared):
    rules = Counter(finding.rule for finding in check(shared / "data/en_spans/covidqa.json.gz"))
    assert rules == {"offset-mismatch": 234, "duplicate-question": 20}
    for name in (
        "zh_spans/drcd_dev",
        "zh_spans/bipar_zh_valid",
        "en_spans/bipar_en_valid",
        "en_spans/quoref_part",
    ):
        assert list(check(shared / f"data/{name}.json.gz")) == []


@pytest.mark.shared
def test_squad_2_contradicts_itself_nowhere(shared):
    rules = Counter(finding.rule for finding in check(shared / "data/squad/dev-v2.0.json.gz"))
    assert rules == {"duplicate-question": 11}

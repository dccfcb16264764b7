from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.conditionalqa.format import check, skipped_rules
from caveat.benchmarks.registry import RULES

URL = "https://otters.example/permits"
PAGE = {
    "title": "Otter permits",
    "url": URL,
    "contents": [
        "<h1>Otter permits</h1>",
        "<p>You must apply within 14&nbsp;days.</p>",
        "<li>you live by a <b>river</b></li>",
        "<tr><td>Fee</td><td>£20</td></tr>",
    ],
}
RIVER = "<li>you live by a <b>river</b></li>"


def question(id: str = "dev-0", **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "url": URL,
        "scenario": "I live in a barge.",
        "question": "Can I get a permit?",
        "not_answerable": False,
        "answers": [["yes", [RIVER]], ["within 14 days", []]],
        "evidences": [RIVER],
        **more,
    }


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    """A JSON list whose first record is on line 2, each next one on the next line."""
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text(f"[\n{lines}\n]", encoding="utf-8")
    return path


@pytest.fixture
def documents(tmp_path):
    return write(tmp_path / "documents.json", [PAGE])


def test_sound_data_gives_no_finding(tmp_path, documents, told):
    unanswerable = question("dev-1", not_answerable=True, answers=[], evidences=[])
    path = write(tmp_path / "dev.json", [question(), unanswerable])
    assert told(check(path, documents), path) == []
    assert told(check(path), path) == []


def test_a_test_file_has_no_answers_to_miss(tmp_path, documents, told):
    bare = {key: question()[key] for key in ("id", "url", "scenario", "question")}
    path = write(tmp_path / "test.json", [bare])
    assert told(check(path, documents), path) == []


BROKEN = {
    "duplicate-id": question("dev-0"),
    "empty-question": question("dev-1", question=" "),
    "duplicate-condition": question("dev-1", answers=[["yes", [RIVER, RIVER]]]),
    "unknown-url": question("dev-1", url="https://otters.example/fines"),
    "evidence-not-element": question("dev-1", evidences=[RIVER, "<li>you live by a river</li>"]),
    "condition-not-element": question("dev-1", answers=[["no", ["<p>You own an otter</p>"]]]),
    "answer-not-in-document": question("dev-1", answers=[["within 15 days", []]]),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_finds_the_second_question(rule, tmp_path, documents, told):
    path = write(tmp_path / "dev.json", [question("dev-0"), BROKEN[rule]])
    assert told(check(path, documents), path) == [(rule, 3, BROKEN[rule]["id"])]


@pytest.mark.parametrize("change", [{"not_answerable": True}, {"answers": []}])
def test_not_answerable_must_agree_with_the_answers(change, tmp_path, documents, told):
    path = write(tmp_path / "dev.json", [question("dev-0"), question("dev-1", **change)])
    assert told(check(path, documents), path) == [("answerability-contradiction", 3, "dev-1")]


@pytest.mark.parametrize("text", ["river", "The River!", "fee £20", "within 14 days"])
def test_answers_are_looked_up_as_the_scores_compare_them(text, tmp_path, documents, told):
    path = write(tmp_path / "dev.json", [question(answers=[[text, []]])])
    assert told(check(path, documents), path) == []


@pytest.mark.parametrize("text", ["permits You must", "td", "Yes"])
def test_an_answer_is_text_within_one_element(text, tmp_path, documents, told):
    path = write(tmp_path / "dev.json", [question(answers=[[text, []]])])
    assert told(check(path, documents), path) == [("answer-not-in-document", 2, "dev-0")]


BROKEN_PAGES = {
    "duplicate-url": PAGE,
    "empty-element": {"title": "", "url": "u", "contents": ["<p>Otters.</p>", "<p> <b></b></p>"]},
    "unknown-tag": {"title": "", "url": "u", "contents": ["<p>Otters.</p>", "<div>Otters.</div>"]},
}


@pytest.mark.parametrize("rule", BROKEN_PAGES)
def test_each_rule_of_a_document(rule, tmp_path, told):
    documents = write(tmp_path / "documents.json", [PAGE, BROKEN_PAGES[rule]])
    path = write(tmp_path / "dev.json", [question()])
    assert told(check(path, documents), documents) == [(rule, 3, BROKEN_PAGES[rule]["url"])]


def test_an_element_may_have_no_tag_at_all(tmp_path, told):
    documents = write(tmp_path / "documents.json", [{**PAGE, "contents": [*PAGE["contents"], "a < b"]}])
    path = write(tmp_path / "dev.json", [question()])
    assert told(check(path, documents), documents) == [("unknown-tag", 2, URL)]


def test_without_documents_the_rules_that_need_them_are_named(tmp_path, documents, told):
    data = write(tmp_path / "dev.json", [BROKEN[rule] for rule in BROKEN])
    whole = {rule for rule, _, _ in told(check(data, documents), data)}
    alone = {rule for rule, _, _ in told(check(data), data)}
    assert whole - alone == set(skipped_rules(None)) - set(BROKEN_PAGES)
    assert set(skipped_rules(None)) <= set(RULES)
    assert skipped_rules(documents) == []


@pytest.mark.shared
def test_the_published_questions_point_into_their_documents(shared):
    folder = shared / "data/conditionalqa"
    assert list(check(folder / "dev_part.json", folder / "documents.json")) == []
    train = Counter(finding.rule for finding in check(folder / "train_without_documents.json.gz"))
    assert train == {"duplicate-condition": 2}

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.checks import check

CONTEXT = "The otter eats urchins."
TOKENS: list[list[Any]] = [["The", 0], ["otter", 4], ["eats", 10], ["urchins", 15], [".", 22]]


def detected(text: str, characters: tuple[int, int], tokens: tuple[int, int]) -> dict[str, Any]:
    return {"text": text, "char_spans": [characters], "token_spans": [tokens]}


def question(qid: str = "a1", text: str = "What does the otter eat?", **more: Any) -> dict[str, Any]:
    return {
        "qid": qid,
        "question": text,
        "answers": ["urchins"],
        "detected_answers": [detected("urchins", (15, 21), (3, 3))],
        **more,
    }


def context(*questions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"context": CONTEXT, "context_tokens": TOKENS, "qas": questions, **more}


def write(path: Path, *contexts: dict[str, Any], header: bool = True) -> Path:
    """The header on line 1 and the contexts from line 2 on."""
    lines = [{"header": {"dataset": "Otters", "split": "dev"}}] if header else []
    path.write_text("".join(json.dumps(line) + "\n" for line in [*lines, *contexts]), encoding="utf-8")
    return path


def test_sound_data_gives_no_finding(tmp_path, told):
    article = question(
        "a2", "Who eats?", answers=["The otter"], detected_answers=[detected("The otter", (4, 8), (1, 1))]
    )
    path = write(tmp_path / "o.jsonl", context(question(), article), context(question("a3")))
    assert told(check(path), path) == []


def test_spans_without_tokens_are_checked_as_far_as_they_go(tmp_path, told):
    bare = {"text": "urchins", "char_spans": [[15, 21]]}
    path = write(tmp_path / "o.jsonl", {"context": CONTEXT, "qas": [question(detected_answers=[bare])]})
    assert told(check(path), path) == []


BROKEN = {
    "empty-question": question("a2", ""),
    "no-answer": question("a2", answers=[], detected_answers=[]),
    "answer-not-in-context": question("a2", answers=["kelp"], detected_answers=[]),
    # "otter" is whole tokens, and not what was answered.
    "span-text-mismatch": question("a2", detected_answers=[detected("urchins", (4, 8), (1, 1))]),
    # The text is right, and ends before the token does.
    "span-not-aligned": question(
        "a2", answers=["urchi"], detected_answers=[detected("urchi", (15, 19), (3, 3))]
    ),
    "token-span-mismatch": question("a2", detected_answers=[detected("urchins", (15, 21), (2, 3))]),
    "duplicate-id": question("a1"),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_of_a_question(rule, tmp_path, told):
    path = write(tmp_path / "o.jsonl", context(question("a1")), context(BROKEN[rule]))
    assert told(check(path), path) == [(rule, 3, BROKEN[rule]["qid"])]


def test_the_same_question_twice_on_a_context(tmp_path, told):
    path = write(tmp_path / "o.jsonl", context(question("a1"), question("a2")), context(question("a3")))
    assert told(check(path), path) == [("duplicate-question", 2, "a2")]


def test_a_token_that_is_no_slice_of_the_context(tmp_path, told):
    shifted = [*TOKENS[:2], ["eats", 11], *TOKENS[3:]]
    path = write(tmp_path / "o.jsonl", context(question(), context_tokens=shifted))
    assert told(check(path), path) == [("token-mismatch", 2, "a1")]
    assert [f.message for f in check(path)] == ['the context has "ats " at 11, not the token "eats"']


def test_a_span_outside_the_context(tmp_path, told):
    outside = question(detected_answers=[detected("urchins", (100, 106), (3, 3))])
    path = write(tmp_path / "o.jsonl", context(outside))
    assert told(check(path), path) == [("span-text-mismatch", 2, "a1"), ("span-not-aligned", 2, "a1")]


def test_more_than_800_tokens(tmp_path, told):
    def long(count: int) -> dict[str, Any]:
        answer = question(answers=["o"], detected_answers=[detected("o", (0, 0), (0, 0))])
        return context(answer, context="o " * count, context_tokens=[["o", 2 * n] for n in range(count)])

    path = write(tmp_path / "o.jsonl", long(800))
    assert told(check(path), path) == []
    path = write(tmp_path / "o.jsonl", long(801))
    assert told(check(path), path) == [("too-many-tokens", 2, "a1")]


def test_an_empty_context(tmp_path, told):
    empty = context(question(answers=["x"], detected_answers=[]), context="", context_tokens=[])
    path = write(tmp_path / "o.jsonl", empty)
    assert told(check(path), path) == [("empty-context", 2, "a1"), ("answer-not-in-context", 2, "a1")]


def test_a_file_without_header(tmp_path, told):
    path = write(tmp_path / "o.jsonl", context(question()), header=False)
    assert told(check(path), path) == [("missing-header", 1, None)]


def test_findings_come_as_the_file_is_read(tmp_path):
    path = write(tmp_path / "o.jsonl", context(question("a1", "")))
    with path.open("a") as out:
        out.write("{broken")
    assert next(check(path)).rule == "empty-question"


@pytest.mark.shared
def test_the_official_squad_file_has_exact_spans(shared):
    rules = Counter(finding.rule for finding in check(shared / "data/mrqa/SQuAD_dev.jsonl.gz"))
    assert rules == {"duplicate-question": 33}

"""Questions from English rules, on rules written for this."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from caveat.training.kinds.judge.judgements import read_pairs, read_texts
from caveat.training.kinds.judge.rule_questions import asked_pages, rule_questions

RULES = """# The pool

Members can bring one guest to the pool. Guests may not use the lockers on weekdays.
You must wear a cap in the water. If you are under 12, you do not have to pay the entrance fee.
The water is heated from October to March.

# The car park

Cars are not allowed on the lawn. It may rain."""
DENIES = re.compile(r"\b(?:not|never|no longer|cannot|need not)\b|n['’]t\b")


def asked(seed: int) -> list[tuple[str, str, str]]:
    return list(rule_questions(RULES, random.Random(seed)))


@pytest.mark.parametrize(
    ("about", "asks_plainly"),
    [
        ("locker", re.compile(r"^(?:can|may|are|is|am)\b", re.IGNORECASE)),
        ("cap", re.compile(r"^(?:do|must|am|are|is)\b", re.IGNORECASE)),
        ("heated", re.compile(r"^is\b", re.IGNORECASE)),
        ("lawn", re.compile(r"^are\b", re.IGNORECASE)),
    ],
)
def test_the_word_decides(about: str, asks_plainly: re.Pattern[str]) -> None:
    labels = set()
    for seed in range(25):
        for question, text, label in asked(seed):
            if about not in question or about not in text:
                continue
            assert asks_plainly.match(question), question
            sentence = next(each for each in re.split(r"(?<=[.!?]) ", text) if about in each)
            assert label == ("contradicted" if DENIES.search(sentence) else "entailed"), (question, text)
            labels.add(label)
    assert labels == {"entailed", "contradicted"}


def test_another_sentence_leaves_it_open() -> None:
    for seed in range(10):
        for question, text, label in asked(seed):
            if "locker" in question and "locker" not in text:
                assert label == "open"


def test_askers_speak_of_themselves() -> None:
    questions = {question for seed in range(25) for question, _, _ in asked(seed)}
    assert "Do I have to wear a cap in the water?" in questions
    assert any("I am under 12" in question for question in questions)
    assert not any("rain" in question for question in questions)  # that it may rain allows nothing


def test_whole_pages_keep_all_but_the_sentence() -> None:
    for question, page, yes in asked_pages(RULES, random.Random(3)):
        kept = sum(line in page for line in RULES.splitlines() if line)
        assert kept >= len([line for line in RULES.splitlines() if line]) - 1
        if "heated" in question:
            assert yes == ("water is heated" in page)


def test_pages_of_a_file_are_one_source_each(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(
        json.dumps({"text": RULES}) + "\n" + json.dumps({"context": "You can fish here.\n"}) + "\n"
    )
    assert list(read_texts(path)) == [RULES, "You can fish here.\n"]
    pairs = read_pairs("rule-questions", path, 1)
    assert {pair.source for pair in pairs} == set(read_texts(path))
    assert pairs == read_pairs("rule-questions", path, 1)

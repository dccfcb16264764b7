from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.benchmarks.sharc.data_set import FollowUp, SharcUtterance, read
from caveat.core.errors import InputError

RAW = {
    "utterance_id": "u1",
    "tree_id": "t1",
    "source_url": "rules.example/bus",
    "snippet": "You travel free if you are over 65.",
    "question": "Do I travel free?",
    "scenario": "I retired at 70.",
    "history": [{"follow_up_question": "Are you over 65?", "follow_up_answer": "Yes"}],
    "evidence": [{"followup_question": "Have you retired?", "followup_answer": "Yes"}],
    "answer": "Yes",
}


def test_an_utterance_with_both_spellings_of_its_follow_ups(tmp_path: Path) -> None:
    path = tmp_path / "sharc.json"
    path.write_text(json.dumps([RAW]), encoding="utf-8")
    assert read(path) == [
        SharcUtterance(
            "u1",
            "t1",
            "rules.example/bus",
            "You travel free if you are over 65.",
            "Do I travel free?",
            "I retired at 70.",
            (FollowUp("Are you over 65?", "Yes"),),
            (FollowUp("Have you retired?", "Yes"),),
            "Yes",
        )
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"history": [{"question": "x"}]}, "id u1: a follow-up without follow_up_question"),
        ({"snippet": None}, "id u1: expected `str`, got `null`"),
    ],
)
def test_a_bad_utterance_is_named(tmp_path: Path, change: dict[str, object], problem: str) -> None:
    path = tmp_path / "sharc.json"
    path.write_text(json.dumps([RAW | change]), encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        read(path)


@pytest.mark.shared
def test_the_real_file(shared: Path) -> None:
    found = read(shared / "data" / "conditionalqa" / "sharc_dev.json.gz")
    assert len(found) == 2_270
    assert {"Yes", "No", "Irrelevant"} < {utterance.answer for utterance in found}

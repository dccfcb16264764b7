# ruff: noqa: E402
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from caveat.training.kinds.judge.judgements import Pair, as_question, read_pairs
from caveat.training.kinds.judge.method import verdict_loss


def written(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def test_inference_questions_and_rules(tmp_path: Path) -> None:
    rule = {
        "rule": "Hens may be kept if the manager agrees.",
        "question": "May I keep hens?",
        "scenario": "I rent a plot.",
        "history": [{"follow_up_question": "Did the manager agree?", "follow_up_answer": "No"}],
        "kind": "No",
        "answer": "No",
    }
    file = written(
        tmp_path / "pairs.jsonl",
        {"premise": "The shop opens at nine.", "hypothesis": "It opens at noon.", "label": "contradiction"},
        {"premise": "The shop opens at nine.", "hypothesis": "It sells tea.", "label": "neutral"},
        {"premise": "Tea is sold.", "hypothesis": "Tea is free.", "label": "not_entailment"},
        {"passage": "Dogs stay outside.", "question": "are dogs let in", "answer": "no"},
        {"passage": "Dogs stay outside.", "question": "Are cats?", "answer": "DON'T KNOW"},
        {"passage": "Dogs stay outside.", "question": "Who?", "answer": "dogs"},
        {"passage": "Dogs stay outside.", "question": "Who?", "candidate": "dogs", "label": "yes"},
        rule,
    )
    assert read_pairs("judgements", file, 1) == [
        Pair("It opens at noon.", "The shop opens at nine.", "contradicted"),
        Pair("It sells tea.", "The shop opens at nine.", "open"),
        Pair("Tea is free.", "Tea is sold.", "not entailed"),
        Pair("Are dogs let in?", "Dogs stay outside.", "contradicted"),
        Pair("Are cats?", "Dogs stay outside.", "open"),
        Pair("May I keep hens? I rent a plot. Did the manager agree? No.", rule["rule"], "contradicted"),
    ]


@pytest.mark.parametrize(
    ("statement", "question", "negated"),
    [
        ("The shop sells tea.", "Does the shop sell tea?", False),
        ("The shop does not sell tea.", "Does the shop sell tea?", True),
        ("小店卖茶。", "小店卖茶吗？", False),
        # No clause, so that it stays as it is.
        ("Tea for two.", "Tea for two.", False),
        ("Is it open?", "Is it open?", False),
    ],
)
def test_statements_as_questions(statement: str, question: str, negated: bool) -> None:
    assert as_question(statement) == (question, negated)


def test_a_denial_that_is_asked_turns_the_label_round(tmp_path: Path) -> None:
    record = {"premise": "Only bread is sold.", "hypothesis": "The shop does not sell tea."}
    file = written(tmp_path / "pairs.jsonl", *({**record, "label": of} for of in ("entailment", "neutral")))
    assert read_pairs("judgements", file, 1, asked=1.0) == [
        Pair("Does the shop sell tea?", "Only bread is sold.", "contradicted"),
        Pair("Does the shop sell tea?", "Only bread is sold.", "open"),
    ]


def test_a_text_of_another_example_leaves_it_open(tmp_path: Path) -> None:
    texts = ["The northern ferry leaves at nine.", "The southern ferry sleeps.", "Bread costs two euros."]
    file = written(
        tmp_path / "pairs.jsonl",
        *(
            {"premise": text, "hypothesis": "The northern ferry leaves.", "label": "entailment"}
            for text in texts
        ),
    )
    pairs = read_pairs("judgements", file, 1, foreign=1.0)
    assert len(pairs) == 6
    assert {pair.label for pair in pairs[3:]} == {"open"}
    # The most alike of the others.
    assert [pair.text for pair in pairs[3:]] == [texts[1], texts[0], texts[0]]
    assert pairs == read_pairs("judgements", file, 1, foreign=1.0)


def test_of_a_binary_label_both_others_are_right() -> None:
    scores = torch.tensor([[2.0, 0.0, 0.0], [0.0, 3.0, 0.0]])
    weights = torch.ones(3)
    binary = verdict_loss(scores, torch.tensor([3, 3]), weights)
    odds = torch.softmax(scores, dim=-1)
    assert binary == pytest.approx(float(-torch.log(1 - odds[:, 0]).mean()))
    known = verdict_loss(scores, torch.tensor([0, 1]), weights)
    assert known == pytest.approx(float(-torch.log(odds[[0, 1], [0, 1]]).mean()))
    both = verdict_loss(scores, torch.tensor([3, 1]), weights)
    assert both == pytest.approx(float(-(torch.log(1 - odds[0, 0]) + torch.log(odds[1, 1])) / 2))

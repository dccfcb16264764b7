# ruff: noqa: E402
"""One model for spans, verdicts and evidence: what it learns from, its windows, its loss, a run and its export."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

torch = pytest.importorskip("torch")
for needed in ("transformers", "safetensors", "onnx"):
    pytest.importorskip(needed)

from caveat.models.card import read_card
from caveat.models.encoding import pair_layout
from caveat.training import log
from caveat.training.kinds.joint.examples import VERDICTS, Example, as_typed, read_examples
from caveat.training.kinds.joint.method import joint_loss
from caveat.training.kinds.joint.recipe import JointDataSet, JointRecipe, JointTuning
from caveat.training.kinds.joint.windows import ANY_BUT_YES, JointEpochs, collate, encode_examples
from caveat.training.recipe import Phase

PAGE = (
    "# The mill\n\nThe mill was built in 1820.\nOpen on Monday, Tuesday\nand Friday. Dogs are not allowed.\n"
)
ITEMS: list[dict[str, Any]] = [
    {
        "kind": "span",
        "question": "when was it built",
        "answers": ["1820"],
        "evidence": ["The mill was built in 1820."],
    },
    {
        "kind": "list",
        "question": "open days",
        "answers": ["Monday", "Tuesday", "Friday"],
        "evidence": ["Open on Monday, Tuesday and Friday."],
    },
    {"kind": "no", "question": "can I bring him?", "answers": [], "evidence": ["Dogs are not allowed."]},
    {"kind": "none", "question": "what does it cost?", "answers": [], "evidence": []},
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Questions on a page, passages with questions, and judgements."""
    (tmp_path / "pages" / "texts").mkdir(parents=True)
    (tmp_path / "pages" / "texts" / "mill.md.txt").write_text(PAGE)
    lines = [
        {"language": "en", "page": "mill.md", "scenario": None, "repository": "mill", **item}
        for item in ITEMS
    ]
    lines[2]["scenario"] = "I have a dog."
    (tmp_path / "pages" / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    facts = [
        ("The ferry leaves at six. It is red.", "When does it leave?", "six"),
        ("The bakery is closed on Sunday.", "Who owns the bakery?", ""),
    ]
    paragraphs = [
        {
            "context": text,
            "qas": [
                {
                    "id": str(number),
                    "question": question,
                    "answers": [{"text": answer, "answer_start": text.index(answer)}] if answer else [],
                    "is_impossible": not answer,
                }
            ],
        }
        for number, (text, question, answer) in enumerate(facts)
    ]
    (tmp_path / "facts.json").write_text(json.dumps({"data": [{"title": "t", "paragraphs": paragraphs}]}))
    judged = [
        {"premise": "The hall is open.", "hypothesis": "The hall is closed.", "label": "contradiction"},
        {"premise": "Ann has two dogs.", "hypothesis": "Ann has a dog.", "label": "entailment"},
        {"premise": "Ann has two dogs.", "hypothesis": "Ann has a cat.", "label": "not_entailment"},
    ]
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(line) + "\n" for line in judged))
    return tmp_path


PAGES = JointDataSet(path="pages/items.jsonl", format="pages", language="en")
FACTS = JointDataSet(path="facts.json", format="squad")
JUDGED = JointDataSet(path="judged.jsonl", format="judgements")


def shown(example: Example) -> tuple[Any, list[str], list[str]]:
    """The verdict, and the texts of answers and evidence."""
    quoted = [[example.text[a:b] for a, b in places] for places in (example.answers, example.evidence or ())]
    return example.verdict, *quoted


def test_questions_on_pages_have_their_answers_and_what_decides(root: Path) -> None:
    span, several, no, none = read_examples(PAGES, root, 1)
    assert shown(span) == ("span", ["1820"], ["The mill was built in 1820."])
    # A quotation is found across a line's end.
    assert shown(several) == (
        "list",
        ["Monday", "Tuesday", "Friday"],
        ["Open on Monday, Tuesday\nand Friday."],
    )
    assert shown(no) == ("no", [], ["Dogs are not allowed."])
    assert no.question == "can I bring him? I have a dog."
    assert shown(none) == ("none", [], [])
    assert span.conditions is None


def test_what_must_still_hold_is_marked(root: Path, tokenizer: Any) -> None:
    item = {**ITEMS[2], "kind": "yes", "evidence": ["Open on Monday"], "conditions": ["on Monday"]}
    line = {"language": "en", "page": "mill.md", "scenario": None, "repository": "mill", **item}
    (root / "pages" / "items.jsonl").write_text(json.dumps(line))
    examples = read_examples(PAGES, root, 1)
    assert [examples[0].text[a:b] for a, b in examples[0].conditions or ()] == ["on Monday"]
    encoded, _ = encode_examples(examples, tokenizer)
    epochs = JointEpochs(
        [(encoded, 1.0)], tokenizer, room=400, stride=20, max_question_tokens=24, negatives=0, typed=0
    )
    batch = collate(epochs.epoch("1"), pair_layout(tokenizer))
    ids = batch.input_ids[0][batch.conditions[0] > 0].tolist()
    assert ids == tokenizer.encode("on Monday", add_special_tokens=False).ids
    assert batch.conditions_known.tolist() == [True]


def test_conditionalqa_is_read_on_the_evidences_of_a_page(tmp_path: Path) -> None:
    def question(number: int, answers: list[Any], evidences: list[str]) -> dict[str, Any]:
        told = {
            "id": str(number),
            "url": "permits",
            "scenario": "I am 20.",
            "question": f"Question {number}?",
        }
        return {**told, "not_answerable": not answers, "answers": answers, "evidences": evidences}

    fee, member, free = (
        "<p>A permit costs £40 a year.</p>",
        "<li>you are a member</li>",
        "<p>It is free if:</p>",
    )
    data = [
        question(1, [["£40", []]], [fee]),
        question(2, [["yes", [member]]], [free]),
        question(3, [], [fee]),
        question(4, [["£40", []], ["free", [member]]], [fee, free]),
        question(5, [["£99", []]], [fee]),
    ]
    (tmp_path / "train.json").write_text(json.dumps(data))
    found = read_examples(JointDataSet(path="train.json", format="conditionalqa"), tmp_path, 1)
    # The answer of the last stands in none of its evidences.
    assert [shown(each) for each in found] == [
        ("span", ["£40"], ["A permit costs £40 a year."]),
        ("yes", [], ["It is free if:"]),
        ("none", [], ["A permit costs £40 a year."]),
        ("list", ["£40", "free"], ["A permit costs £40 a year.", "It is free if:"]),
    ]
    assert [[each.text[a:b] for a, b in each.conditions or ()] for each in found] == [
        [],
        ["you are a member"],
        [],
        ["you are a member"],
    ]
    assert found[0].question == "Question 1? I am 20."


def test_the_sentence_of_a_span_is_its_evidence(root: Path) -> None:
    leaves, owns = read_examples(FACTS, root, 1)
    assert shown(leaves) == ("span", ["six"], ["The ferry leaves at six."])
    assert shown(owns) == ("none", [], [])


def test_a_neighbour_without_the_answer_is_silent(root: Path) -> None:
    data = JointDataSet(path="facts.json", format="squad", take="answerable", foreign=1.0)
    _, foreign = read_examples(data, root, 1)
    assert (foreign.text, foreign.verdict) == ("The bakery is closed on Sunday.", "none")


def test_judgements_are_yes_no_or_any_but_yes(root: Path) -> None:
    assert [example.verdict for example in read_examples(JUDGED, root, 1)] == ["no", "yes", None]


def test_a_typed_question_has_no_mark_and_at_most_one_slip() -> None:
    question = "When does the northern ferry leave?"
    typed = {as_typed(question, random.Random(seed)) for seed in range(40)}
    assert "When does the northern ferry leave" in typed
    assert len(typed) > 1
    assert all(len(question) - 2 <= len(text) < len(question) for text in typed)


def test_a_window_of_a_long_text_has_what_decides(root: Path, tokenizer: Any) -> None:
    text = "aaaa " * 60 + "The ferry leaves at six. " + "bbbb " * 60
    start = text.index("six")
    example = Example("When does it leave", text, "span", ((start, start + 3),), ((start - 21, start + 4),))
    encoded, _ = encode_examples([example], tokenizer)
    epochs = JointEpochs(
        [(encoded, 1.0)], tokenizer, room=60, stride=20, max_question_tokens=24, negatives=0.99, typed=0.0
    )
    layout = pair_layout(tokenizer)
    kinds = set()
    for seed in range(8):
        for window in epochs.epoch(str(seed)):
            batch = collate([window], layout)
            kinds.add(VERDICTS[window.label])
            if window.answered:
                ids = batch.input_ids[0, batch.starts[0] : batch.ends[0] + 1].tolist()
                assert ids == tokenizer.encode("six", add_special_tokens=False).ids
            else:
                assert batch.starts.tolist() == batch.ends.tolist() == [0]
                assert batch.evidence.sum() == 0
    assert kinds == {"span", "none"}


def test_the_loss_of_any_but_yes_is_low_for_no(root: Path, tokenizer: Any) -> None:
    examples = [Example("Ann has a cat", "Ann has two dogs.", None)]
    encoded, _ = encode_examples(examples, tokenizer)
    assert encoded[0].label == ANY_BUT_YES
    epochs = JointEpochs(
        [(encoded, 1.0)], tokenizer, room=60, stride=20, max_question_tokens=24, negatives=0, typed=0
    )
    batch = collate(epochs.epoch("1"), pair_layout(tokenizer))
    flat = torch.zeros(batch.input_ids.shape)

    def loss(**scores: float) -> float:
        verdict = torch.tensor([[scores.get(name, 0.0) for name in VERDICTS]])
        found = (flat, flat, verdict, flat, flat, flat)
        weights = {"verdict_weight": 1.0, "token_weight": 0.0, "condition_weight": 1.0}
        return float(joint_loss(found, batch, smoothing=0.0, **weights))

    # Four of five verdicts are right: -log(4/5).
    assert loss() == pytest.approx(0.2231, abs=1e-4)
    assert loss(no=9.0) < 0.01 < 5 < loss(yes=9.0)


def test_a_run_learns_and_is_exported(
    root: Path, tmp_path: Path, short: dict[str, Any], thorough: dict[str, Any]
) -> None:
    from caveat.models.session import onnx_runtime
    from caveat.training.export import ExportSettings
    from caveat.training.kinds.joint.export import export_joint
    from caveat.training.loop import train_in_steps

    recipe = JointRecipe(
        **{**short, **thorough},
        data=(PAGES, FACTS, JUDGED),
        phases=(Phase(window=72, stride=24, batch_size=5, epochs=30),),
        tuning=JointTuning(files=(FACTS, JUDGED, PAGES), window=72, stride=24, max_answer_tokens=8),
        max_question_tokens=40,
        smoothing=0.0,
        typed=0.0,
        negatives=0.0,
    )
    scores = train_in_steps(recipe, tmp_path / "run", data_root=root)
    assert scores is not None
    assert set(scores) == {"facts.json", "judged.jsonl", "pages/items.jsonl (en)"}
    losses = [entry["loss"] for entry in log.read(tmp_path / "run" / "log.jsonl") if "loss" in entry]
    assert sum(losses[-8:]) < 0.7 * sum(losses[:8])
    how = ExportSettings(data_root=root, precisions=("fp32",), threads=1)
    card = export_joint(recipe, tmp_path / "run", tmp_path / "out", how)["fp32"]
    assert (card.task, card.max_answer_tokens) == ("joint", 8)
    session = onnx_runtime().InferenceSession(str(tmp_path / "out" / "fp32" / "model.onnx"))
    assert [node.name for node in session.get_outputs()] == [
        *("start_logits", "end_logits", "evidence_logits", "answer_logits", "condition_logits"),
        *("span_logits", "list_logits", "yes_logits", "no_logits", "none_logits"),
    ]
    # Its spans are calibrated as a reader's: on as many questions of the file of spans as can be put to a passage that
    # does not answer them, one, and on those.
    assert card == read_card(tmp_path / "out" / "fp32")
    assert set(card.figures) >= {"joint", "squad2", "calibration", "export"}
    assert card.figures["squad2"]["total"] == card.figures["export"]["questions"] == 2
    assert card.figures["calibration"]["questions"] == 2
    assert card.figures["export"]["same_answers"] == 100
    assert 0.05 <= card.temperature <= 50
    # Without files of spans nothing is calibrated.
    judged = msgspec.structs.replace(recipe, tuning=JointTuning(files=(JUDGED,), window=72, stride=24))
    plain = export_joint(judged, tmp_path / "run", tmp_path / "plain", how)["fp32"]
    assert "calibration" not in plain.figures

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.reasoning import DROP, read
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

PASSAGE = "Ada scored twice in May 1945. Bo scored once, and Ada won by 12 points."


def answer(*spans: str, number: str = "", year: str = "") -> dict[str, Any]:
    return {"number": number, "date": {"day": "", "month": "", "year": year}, "spans": list(spans)}


def test_single_spans_only(tmp_path: Path, convert: Callable[..., Any]) -> None:
    asked = [
        ("d1", answer("Ada"), [answer("Bo"), answer("Ada"), answer(number="2"), answer("Ada", "Bo")]),
        ("d2", answer(number="12"), [answer("12 points")]),
        ("d3", answer(year="1945"), []),
        ("d4", answer("Ada", "Bo"), []),
        ("d5", answer(), []),
    ]
    pairs = [
        {"query_id": id, "question": "Who?", "answer": gold, "validated_answers": others}
        for id, gold, others in asked
    ]
    file = {"nfl_1": {"passage": PASSAGE, "qa_pairs": pairs}, "nfl_2": {"passage": "x", "qa_pairs": []}}
    (tmp_path / "dev.json").write_text(json.dumps(file, indent=1))
    (context,), drops = convert(DROP, tmp_path / "dev.json")
    assert (context.context, context.extra["id"]) == (PASSAGE, "nfl_1")
    (question,) = context.questions
    assert (question.extra["id"], question.answers) == ("d1", ("Ada", "Bo"))
    # Tokens: Ada scored twice in May 1945 . Bo scored once , and Ada won by 12 points .
    spans = [[(p.start, p.end, p.first, p.last) for p in found.places] for found in question.detected]
    assert spans == [[(0, 3, 0, 1), (50, 53, 12, 13)], [(30, 32, 7, 8)]]
    assert drops.examples == {
        "number answer": ["d2"],
        "date answer": ["d3"],
        "several spans": ["d4"],
        "no answer": ["d5"],
    }


def prompt(completion: str, references: str = "", passage: str = PASSAGE) -> dict[str, str]:
    context = f"Passage: {passage}\nQuestion: Who scored?\nAnswer:"
    line = {"context": context, "completion": f" {completion}"}
    return {**line, "ref_text": references} if references else line


def test_simplified_layout(tmp_path: Path, convert: Callable[..., Any]) -> None:
    lines = [
        prompt("Ada", "Ada|Bo|2|  1945"),
        prompt("two", passage="They were two."),
        prompt("12", "12|12 points"),
        prompt("1,234.5"),
        prompt("  1945", "  1945|May"),
        prompt(" May 1945"),
        prompt("8 May 1945"),
        prompt("12 points"),
        prompt("Cy"),
        prompt(" "),
    ]
    (tmp_path / "dev.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (first, second), drops = convert(DROP, tmp_path / "dev.jsonl")
    assert (first.context, second.context) == (PASSAGE, "They were two.")
    assert [(question.extra["id"], question.answers) for question in first.questions] == [
        ("1", ("Ada", "Bo")),
        ("8", ("12 points",)),
    ]
    assert first.questions[0].question == "Who scored?"
    assert drops.examples == {
        "number answer": ["3", "4"],
        "date answer": ["5", "6", "7"],
        "no answer within the first 800 tokens": ["9"],
        "no answer": ["10"],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"nfl_1": {"passage": "a", "qa_pairs": [', "broken JSON"),
        ('{"nfl_1": {"passage": "a"}}', "id nfl_1: object missing required field `qa_pairs`"),
        ('{"nfl_1": {"passage": "a", "qa_pairs": [{"query_id": "d7"}]}}', "id d7: object missing"),
        ('{"data": []}', "id data: expected `object`, got `array`"),
        ('{"context": "a", "completion": "b"}', "line 1: expected a context of the form"),
    ],
)
def test_bad_input(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "dev.json").write_text(text)
    with pytest.raises(InputError, match=message):
        list(read(tmp_path / "dev.json", Drops()))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "total", "least"),
    [
        ("drop/drop_simplified_part.jsonl.gz", 4935, 1600),
        ("samples/allennlp_rc/data/drop.json", 19, 6),
        ("samples/hf_dummy/drop__0.1.0/dummy_data/drop_dataset/drop_dataset_train.json", 5, 3),
        ("samples/hf_dummy/drop__0.1.0/dummy_data/drop_dataset/drop_dataset_dev.json", 2, 1),
    ],
)
def test_real_samples(
    shared: Path, convert_real: Callable[..., Any], name: str, total: int, least: int
) -> None:
    contexts, drops = convert_real(DROP, shared / "data/native" / name)
    found = sum(len(context.questions) for context in contexts)
    assert found + drops.counts.total() == total
    assert found >= least

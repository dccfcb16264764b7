from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.reasoning import HOTPOTQA, read_hotpotqa
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

NATIVE = {
    "_id": "h1",
    "question": "In which state does the river through Leer rise?",
    "answer": "Westphalia",
    "supporting_facts": [["Leer", 0], ["Ems", 1]],
    "context": [
        ["Ems", ["The Ems is a river.", " It rises in Westphalia."]],
        ["Oder", ["The Oder does not rise in Westphalia."]],
        ["Leer", ["Leer lies on the Ems."]],
    ],
    "type": "bridge",
    "level": "hard",
}
YES = {**NATIVE, "_id": "h2", "answer": "Yes"}
LOST = {**NATIVE, "_id": "h3", "supporting_facts": [["Rhine", 0]]}
COLUMNS = {
    "question": NATIVE["question"],
    "answer": NATIVE["answer"],
    "supporting_facts": {"title": ["Leer", "Ems"], "sent_id": [0, 1]},
    "context": {
        "title": ["Ems", "Oder", "Leer"],
        "sentences": [
            ["The Ems is a river.", " It rises in Westphalia."],
            ["The Oder does not rise in Westphalia."],
            ["Leer lies on the Ems."],
        ],
    },
}
TEXT = (
    "[DOC] [TLE] Ems [PAR] The Ems is a river. It rises in Westphalia. "
    "[DOC] [TLE] Leer [PAR] Leer lies on the Ems."
)


def test_gold_paragraphs_only_and_no_yes_or_no(tmp_path: Path, convert: Callable[..., Any]) -> None:
    (tmp_path / "dev.json").write_text(json.dumps([NATIVE, YES, LOST]))
    (context,), drops = convert(HOTPOTQA, tmp_path / "dev.json")
    assert context.context == TEXT
    (question,) = context.questions
    assert (question.extra["id"], question.answers) == ("h1", ("Westphalia",))
    # Tokens: [DOC] [TLE] Ems [PAR] The Ems is a river . It rises in Westphalia . …
    (place,) = question.detected[0].places
    assert (place.start, place.end, place.first, place.last) == (54, 64, 13, 14)
    assert drops.examples == {"yes or no answer": ["h2"], "no gold paragraph in the context": ["h3"]}


def test_columns(tmp_path: Path, convert: Callable[..., Any]) -> None:
    named = {**COLUMNS, "id": "h1"}
    (tmp_path / "dev.json").write_text(json.dumps([COLUMNS, named], indent=1))
    contexts, _ = convert(HOTPOTQA, tmp_path / "dev.json")
    assert [context.context for context in contexts] == [TEXT, TEXT]
    assert [context.questions[0].extra["id"] for context in contexts] == ["1", "h1"]


def test_columns_of_different_length(tmp_path: Path) -> None:
    uneven = {**COLUMNS, "id": "h4", "context": {"title": ["Ems", "Leer"], "sentences": [["The Ems."]]}}
    (tmp_path / "dev.json").write_text(json.dumps([uneven]))
    with pytest.raises(InputError, match="id h4: expected as many titles as lists of sentences"):
        list(read_hotpotqa(tmp_path / "dev.json", Drops()))


def test_multiqa_copy(tmp_path: Path, convert: Callable[..., Any]) -> None:
    lines = [
        {"header": {"dataset_name": "HotpotQA"}},
        {
            "id": "HotpotQA_h1",
            "context": {
                "documents": [
                    {"title": "Ems", "text": "The Ems is a river. It rises in Westphalia."},
                    {"title": "Oder", "text": "The Oder does not rise in Westphalia."},
                    {"title": "Leer", "text": "Leer lies on the Ems."},
                ]
            },
            "qas": [
                {
                    "qid": "HotpotQA_q_h1",
                    "question": "Where?",
                    "supporting_context": [{"doc_id": 2}, {"doc_id": 0}],
                    "answers": {
                        "open-ended": {
                            "annotators_answer_candidates": [
                                {"single_answer": {"extractive": {"answer": "Westphalia"}}}
                            ]
                        }
                    },
                }
            ],
        },
    ]
    (tmp_path / "dev.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (context,), _ = convert(HOTPOTQA, tmp_path / "dev.jsonl")
    assert context.context == TEXT
    assert context.questions[0].extra["id"] == "h1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"_id": "h1", "question": "?"', "broken JSON"),
        ('[{"_id": "h1", "question": "?", "context": []}]', "has no `answer` or `supporting_facts`"),
        (
            '[{"_id": "h1", "answer": "a", "supporting_facts": [], "context": []}]',
            "id h1: object missing required field `question`",
        ),
        (
            '[{"_id": "h1", "question": "?", "answer": "a", "supporting_facts": [], "context": [["T", 1]]}]',
            "id h1: expected `array`, got `int`",
        ),
    ],
)
def test_bad_input(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "dev.json").write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_hotpotqa(tmp_path / "dev.json", Drops()))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "total", "least"),
    [
        ("hotpotqa/hotpot_500_stratified_native.json.gz", 500, 470),
        ("hotpotqa/hotpot_dev_distractor_100_hfcolumns.json.gz", 100, 87),
        ("samples/multiqa/hotpotqa_sample.jsonl.gz", 11, 8),
    ],
)
def test_real_samples(
    shared: Path, convert_real: Callable[..., Any], name: str, total: int, least: int
) -> None:
    contexts, drops = convert_real(HOTPOTQA, shared / "data/native" / name)
    assert len(contexts) + drops.counts.total() == total
    assert len(contexts) >= least
    assert {context.context.count("[DOC]") for context in contexts} <= {1, 2}

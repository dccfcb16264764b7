from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources import multiqa, open_records
from caveat.benchmarks.mrqa.sources.build import SourceContext
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError


def answer(text: str, *aliases: str) -> dict[str, Any]:
    return {"extractive": {"single_answer": {"answer": text, "aliases": aliases, "instances": []}}}


def turned(text: str) -> dict[str, Any]:
    return {"single_answer": {"extractive": {"answer": text}}}


CONTEXT = {
    "id": "Tests_c1",
    "context": {
        "documents": [
            {"title": "Ems", "text": "The Ems is a river.\nIt is short."},
            {"title": "Oder", "snippet": "A longer river."},
            {"title": "Empty", "text": ""},
        ]
    },
    "qas": [
        {
            "qid": "Tests_q_1",
            "question": "What is short?",
            "answers": {"open-ended": {"answer_candidates": [answer("the Ems", "Ems"), answer("Ems")]}},
        },
        {
            "qid": "Tests_q_2",
            "question": "What is long?",
            "answers": {"open-ended": {"annotators_answer_candidates": [turned("the Oder")]}},
        },
        {"qid": "Tests_q_3", "question": "Why?", "answers": {"open-ended": {"cannot_answer": "yes"}}},
        {
            "qid": "Tests_q_4",
            "question": "Is it?",
            "answers": {"open-ended": {"annotators_answer_candidates": [{"single_answer": {"yesno": "no"}}]}},
        },
    ],
}


def write(path: Path, dataset: str = "Tests") -> Path:
    header = {"header": {"dataset_name": dataset, "split": "dev"}}
    path.write_text(json.dumps(header) + "\n" + json.dumps(CONTEXT, indent=1))
    return path


def read(path: Path, drops: Drops, context_text: multiqa.ContextText) -> list[SourceContext]:
    fields, records = open_records(path)
    assert multiqa.is_multiqa(fields)
    return list(multiqa.contexts(records, "Tests", drops, context_text))


def test_both_spellings_of_answers(tmp_path: Path) -> None:
    drops = Drops()
    (context,) = read(write(tmp_path / "f.jsonl"), drops, multiqa.joined)
    assert [(question.id, question.answers) for question in context.questions] == [
        ("1", ("the Ems", "Ems")),
        ("2", ("the Oder",)),
    ]
    assert drops.examples == {"unanswerable question": ["3"], "yes or no answer": ["4"]}


def test_texts(tmp_path: Path) -> None:
    path = write(tmp_path / "f.jsonl")
    assert read(path, Drops(), multiqa.joined)[0].text == (
        "[DOC] [TLE] Ems [PAR] The Ems is a river.\nIt is short. [DOC] [TLE] Oder [PAR] A longer river."
    )
    assert read(path, Drops(), multiqa.plain)[0].text.startswith("The Ems is a river.\nIt is short.")


def test_another_data_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the header says WikiHop, expected Tests"):
        read(write(tmp_path / "f.jsonl", "WikiHop"), Drops(), multiqa.plain)


def test_an_id_without_a_prefix_stays() -> None:
    assert multiqa.native_id("SQuAD_q_56be") == "56be"
    assert multiqa.native_id("56be") == "56be"

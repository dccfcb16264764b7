from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.build import convert_source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError


def question(id: str, kind: str = "composition", **answers: Any) -> dict[str, Any]:
    return {
        "ID": id,
        "question": f"{id}: what is it? ",
        "compositionality_type": kind,
        "sparql": "",
        **answers,
    }


def search(id: str, *snippets: tuple[str | None, str]) -> dict[str, Any]:
    return {
        "question_ID": id,
        "question": "what is it?",
        "web_query": "it",
        "split_source": "ptrnet split",
        "web_snippets": [{"title": title, "snippet": snippet} for title, snippet in snippets],
    }


QUESTIONS = [
    question("q1", answer="Lake Orla"),
    question("q2", "conjunction", answers=[{"answer": "Orla", "answer_id": "m.1", "aliases": ["Lake Orla"]}]),
    question("q3", "superlative", answer="Lake Orla"),
    question("q4", answers=[{"answer": "Orla", "aliases": []}, {"answer": "Wye", "aliases": []}]),
    question("q5", answers=[]),
    question("q6", answer="Lake Orla"),
    question("q7", answer="Lake Nowhere"),
]
SEARCHES = [
    search("q1", ("Lakes", "Orla is deep."), ("Maps", "Lake Orla lies north.")),
    search("q1", (None, "The Wye is a river."), ("Lakes", "Orla is deep."), ("Last", "End.")),
    search("q2", ("Lakes", "Orla is deep.")),
    search("q7", ("Lakes", "Orla is deep.")),
]


def write(path: Path, value: Any, indent: int | None = None) -> Path:
    path.write_text(json.dumps(value, indent=indent))
    return path


def test_questions_with_snippets(tmp_path: Path) -> None:
    drops = Drops()
    path = write(tmp_path / "dev.json", QUESTIONS, 2)
    first, second = convert_source("complexwebquestions", path, drops, write(tmp_path / "web.json", SEARCHES))
    # The queries' snippets in turn, the repeated one once.
    assert first.context == (
        "[DOC] [TLE] Lakes [PAR] Orla is deep. [DOC] [PAR] The Wye is a river. "
        "[DOC] [TLE] Maps [PAR] Lake Orla lies north. [DOC] [TLE] Last [PAR] End."
    )
    [asked] = first.questions
    assert (asked.extra["id"], asked.question, asked.answers) == ("q1", "q1: what is it?", ("Lake Orla",))
    assert [first.context[p.start : p.end] for p in asked.detected[0].places] == ["Lake Orla"]
    # An alias counts as the answer; only one of the two is in the text.
    assert second.questions[0].answers == ("Orla", "Lake Orla")
    assert [detected.text for detected in second.questions[0].detected] == ["Orla"]
    assert drops.counts == {
        "superlative question": 1,
        "several answers": 1,
        "no answer given": 1,
        "no web snippets": 1,
        "no answer within the first 800 tokens": 1,
    }


def test_snippets_as_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "web.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in SEARCHES))
    questions = write(tmp_path / "dev.json", QUESTIONS)
    assert len(list(convert_source("complexwebquestions", questions, Drops(), path))) == 2


def test_no_snippets_given(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"dev\.json: .* give the web snippets .* with --documents"):
        list(convert_source("complexwebquestions", write(tmp_path / "dev.json", QUESTIONS), Drops()))


def test_question_without_kind(tmp_path: Path) -> None:
    path = write(tmp_path / "dev.json", [{"ID": "q1", "question": "x"}])
    with pytest.raises(InputError, match=r"id q1: .*compositionality_type"):
        list(convert_source("complexwebquestions", path, Drops(), write(tmp_path / "web.json", SEARCHES)))

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.biology import BIOASQ, read_bioasq
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

ADDRESS = "http://example.org/pubmed/"
ABSTRACTS = {
    f"{ADDRESS}11": "Vitamin C, or ascorbic acid, prevents scurvy.",
    f"{ADDRESS}12": "Scurvy is rare. Ascorbic acid helps.",
    f"{ADDRESS}13": "Rickets is another disease.",
}


def question(id: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": id,
        "body": "What prevents scurvy?",
        "type": "factoid",
        "documents": [f"{ADDRESS}{number}" for number in (11, 12, 13, 14)],
        "exact_answer": [["vitamin C", "Ascorbic acid"]],
        "ideal_answer": ["Vitamin C does."],
        **changes,
    }


@pytest.fixture
def abstracts(tmp_path: Path) -> Path:
    path = tmp_path / "abstracts.json"
    path.write_text(json.dumps(ABSTRACTS))
    return path


def write(tmp_path: Path, *questions: dict[str, Any]) -> Path:
    path = tmp_path / "golden.json"
    path.write_text(json.dumps({"questions": questions}))
    return path


def test_a_context_for_each_abstract(tmp_path: Path, abstracts: Path, convert: Callable[..., Any]) -> None:
    path = write(tmp_path, question("b1"), question("b2", type="yesno", exact_answer="yes"))
    contexts, drops = convert(BIOASQ, path, abstracts)
    assert [context.context for context in contexts] == list(ABSTRACTS.values())[:2]
    first, second = (context.questions[0] for context in contexts)
    assert (first.extra["id"], second.extra["id"]) == ("b1#11", "b1#12")
    assert first.qid != second.qid
    assert first.answers == second.answers == ("vitamin C", "Ascorbic acid")
    # Tokens: Vitamin C , or ascorbic acid , prevents scurvy .
    spans = [[(p.start, p.end, p.first, p.last) for p in found.places] for found in first.detected]
    assert spans == [[(0, 9, 0, 2)], [(14, 27, 4, 6)]]
    assert drops.examples == {
        "no answer within the first 800 tokens": ["b1#13"],
        "abstract not among the documents": ["b1#14"],
        "not a factoid question": ["b2"],
    }


@pytest.mark.parametrize("exact", [["vitamin C", " Ascorbic acid "], "vitamin C", [["vitamin C"], []]])
def test_exact_answers_of_earlier_years(
    tmp_path: Path, abstracts: Path, convert: Callable[..., Any], exact: object
) -> None:
    asked = question("b1", exact_answer=exact, documents=[f"{ADDRESS}11"])
    (context,), _ = convert(BIOASQ, write(tmp_path, asked), abstracts)
    assert context.questions[0].answers[0] == "vitamin C"
    assert set(context.questions[0].answers) <= {"vitamin C", "Ascorbic acid"}


def test_questions_without_answer_or_abstract(
    tmp_path: Path, abstracts: Path, convert: Callable[..., Any]
) -> None:
    unanswered = question("b1")
    del unanswered["exact_answer"]
    contexts, drops = convert(BIOASQ, write(tmp_path, unanswered, question("b2", documents=[])), abstracts)
    assert contexts == []
    assert drops.examples == {"no exact answer": ["b1"], "no linked abstract": ["b2"]}


def test_bad_input(tmp_path: Path, abstracts: Path) -> None:
    path = write(tmp_path, question("b1"))
    with pytest.raises(InputError, match="give the file with their texts with --documents"):
        list(read_bioasq(path, Drops()))
    with pytest.raises(InputError, match="cannot be opened"):
        list(read_bioasq(path, Drops(), tmp_path / "absent.json"))
    abstracts.write_text(json.dumps({"elsewhere": "text"}))
    with pytest.raises(InputError, match="has none of the 4 abstracts"):
        list(read_bioasq(path, Drops(), abstracts))
    abstracts.write_text(json.dumps(["text"]))
    with pytest.raises(InputError, match="expected `object`, got `array`"):
        list(read_bioasq(path, Drops(), abstracts))
    path.write_text('{"questions": [{"id": "b9", "type": "factoid"}]}')
    abstracts.write_text("{}")
    with pytest.raises(InputError, match="id b9: object missing required field `body`"):
        list(read_bioasq(path, Drops(), abstracts))
    path.write_text('{"question": []}')
    with pytest.raises(InputError, match="an object with `questions`"):
        list(read_bioasq(path, Drops(), abstracts))
    path.write_text('{"questions": [')
    with pytest.raises(InputError, match="broken JSON"):
        list(read_bioasq(path, Drops(), abstracts))


@pytest.mark.shared
@pytest.mark.parametrize(("batch", "least"), [(1, 85), (2, 70), (3, 130), (4, 50), (5, 135)])
def test_real_batches(shared: Path, convert_real: Callable[..., Any], batch: int, least: int) -> None:
    folder = shared / "data/native/bioasq"
    path = folder / f"6B{batch}_golden.json.gz"
    contexts, drops = convert_real(BIOASQ, path, folder / f"6B{batch}_abstracts.json.gz")
    with gzip.open(path) as file:
        questions = json.load(file)["questions"]
    pairs = sum(len(q["documents"]) if q["type"] == "factoid" else 1 for q in questions)
    assert len(contexts) + drops.counts.total() == pairs
    assert len(contexts) >= least

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.conditionalqa.metric import score_question
from caveat.benchmarks.conditionalqa.predict import predict_conditional
from caveat.core.errors import InputError
from caveat.models.joint import load_reader
from caveat.models.reader import Reader
from caveat.models.selection import Limit

PAGE = {
    "title": "Colours",
    "url": "https://example.org/colours",
    "contents": [
        "<h1>Colours</h1>",
        "<p>You must not paint a listed house.</p>",
        "<h2>Doors</h2>",
        "<p>What are the colours of doors:</p>",
        "<li>red</li>",
        "<li>blue, if you live in a town</li>",
    ],
}


def question(id: str, text: str, url: str = PAGE["url"]) -> dict[str, Any]:  # type: ignore[assignment]
    return {
        "id": id,
        "url": url,
        "scenario": "",
        "question": text,
        "not_answerable": False,
        "answers": [],
        "evidences": [],
    }


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    data, documents = tmp_path / "data.json", tmp_path / "documents.json"
    documents.write_text(json.dumps([PAGE]), encoding="utf-8")
    questions = [
        question("a", "Can I paint a listed house?"),
        question("b", "What are the colours of doors?"),
    ]
    data.write_text(json.dumps(questions), encoding="utf-8")
    return data, documents, tmp_path / "out.json"


def test_the_published_format(files: tuple[Path, Path, Path], joint_folder: Path) -> None:
    data, documents, out = files
    # In words that the small joint reader knows: "is" asks for yes or no, "not" denies, "and" enumerates.
    contents = ["<h1>Dog</h1>", "<p>the dog is not red.</p>", "<h2>Blue</h2>", "<p>the city cat and:</p>"]
    contents += PAGE["contents"][-2:]
    documents.write_text(json.dumps([{**PAGE, "contents": contents}]), encoding="utf-8")
    data.write_text(
        json.dumps([question("a", "is the dog red"), question("b", "city cat")]), encoding="utf-8"
    )
    done = predict_conditional(data, documents, out, reader=load_reader(joint_folder, limit=Limit()))
    assert (done.task, done.model, done.questions, done.unanswered) == ("conditionalqa", "tiny-joint", 2, 0)
    predictions = {each["id"]: each["answers"] for each in json.loads(out.read_text(encoding="utf-8"))}
    assert predictions["a"] == [["no", []]]
    # Whole elements in the page's own strings are what the scorer compares.
    assert predictions["b"] == [["red", []], ["blue", ["<li>blue, if you live in a town</li>"]]]
    assert score_question([("no", ())], [("no", ())]) == (1.0, 1.0, 1.0, 1.0)


def test_as_a_command(files: tuple[Path, Path, Path], reader_folder: Path, caveat: Any) -> None:
    data, documents, out = files
    done = caveat(
        "predict", "conditionalqa", "--data", data, "--documents", documents, "--out", out, "--model", reader_folder,
        "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["questions"] == 2
    assert [each["id"] for each in json.loads(out.read_text(encoding="utf-8"))] == ["a", "b"]


def test_pages_are_needed(files: tuple[Path, Path, Path], caveat: Any) -> None:
    done = caveat("predict", "conditionalqa", "--data", files[0], "--out", files[2])
    assert done.returncode == 2
    assert "--documents" in done.stderr


def test_a_page_that_is_missing(files: tuple[Path, Path, Path], reader_folder: Path) -> None:
    data, documents, out = files
    data.write_text(json.dumps([question("c", "Can I?", "https://example.org/other")]), encoding="utf-8")
    with pytest.raises(InputError, match="no page"):
        predict_conditional(data, documents, out, reader=Reader.load(reader_folder))
    assert not out.exists()


@pytest.mark.shared
@pytest.mark.xfail(
    reason="reader-en tells yes from no on these pages less well than the judge before it did", strict=True
)
def test_no_worse_than_published_systems(shared: Path, tmp_path: Path) -> None:
    """Above FiD's published figures, on the questions that have yes or no as an answer: always yes has 66.0."""
    from caveat.answerers.contract import Asked
    from caveat.answerers.documents.answerer import DocumentAnswerer
    from caveat.benchmarks.conditionalqa.format import page_document, read, read_documents
    from caveat.core.records import Question
    from caveat.models.embedded import find

    folder = shared / "data" / "conditionalqa"
    answerer = DocumentAnswerer([load_reader(find("reader-en"), limit=Limit())])
    documents = read_documents(folder / "documents.json")
    pages = {page.url: answerer.prepare(page_document(page)) for page in documents}
    scores = []
    for each in read(folder / "dev_part.json"):
        asked = Asked(Question(each.question, each.scenario, "en"), (pages[each.url],))
        golds = [answer.text for answer in each.answers]
        if {"yes", "no"} & set(golds):
            (reply,) = answerer.answer([asked])
            answers = reply.answers
            scores.append(golds.count(answers[0].text) / len(golds) if answers else 0.0)
    assert len(scores) == 78
    assert sum(scores) / 78 > 0.68

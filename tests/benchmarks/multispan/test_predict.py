"""All spans of a text as MultiSpanQA's answers, by a tagger and by a reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.answerers.contract import Asked
from caveat.answerers.documents.answerer import DocumentAnswerer
from caveat.benchmarks.multispan.predict import SPANS
from caveat.benchmarks.verbs import predict
from caveat.core.errors import UsageError
from caveat.core.records import Document, Question
from caveat.models.reader import Reader
from caveat.models.tagger import TaggedSpan
from caveat.models.windowed_model import ReadRequest


def write_multispan(path: Path) -> Path:
    examples = [
        {
            "id": "a",
            "question": ["who", "?"],
            "context": ["the", "red", "dog", "and", "blues", ",", "red"],
            "label": ["O", "B", "I", "O", "B", "O", "B"],
        },
        {"id": "b", "question": ["who", "?"], "context": ["city"]},
    ]
    path.write_text(json.dumps({"data": examples}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def english(make_tagger: Any) -> Path:
    tags = {"red": ["B-answer"], "dog": ["I-answer"], "blue": ["B-answer"], "##s": ["I-answer"]}
    folder: Path = make_tagger("tiny-multispan", [["answer"]], tags, language="en")
    return folder


def test_multispan(english: Path, tmp_path: Path) -> None:
    data, out = write_multispan(tmp_path / "data.json"), tmp_path / "out.json"
    done = predict("multispan", data, out, model=english)
    assert (done.questions, done.unanswered) == (2, 1)
    # The same text twice is one answer.
    assert json.loads(out.read_text()) == {"a": ["red dog", "blues", "red"], "b": []}
    with pytest.raises(UsageError, match="The task multispan does not take --relations"):
        predict("multispan", data, out, model=english, relations="x")


def test_a_reader_lists_the_items_of_its_best_span(reader_folder: Path) -> None:
    reader = Reader.load(reader_folder, threads=1)
    answerer = DocumentAnswerer([reader], retrieve=False)
    texts = ["the dog. color red, blue", "color red", "", "size ten and more"]
    found = list(
        answerer.all_spans(Asked(Question("color"), (answerer.prepare(Document(text)),)) for text in texts)
    )
    assert len(found) == len(texts)
    for text, spans, read in zip(
        texts, found, reader.read(ReadRequest("color", text) for text in texts), strict=True
    ):
        assert [text[span.start : span.end] for span in spans] == [span.text for span in spans]
        if read.candidates:
            best = read.candidates[0]
            assert (spans[0].start, spans[-1].end) == (best.start, best.end)
        else:
            assert not spans


def test_spans_become_whole_tokens_of_the_data(tmp_path: Path) -> None:
    task = SPANS
    record, _ = task.read(write_multispan(tmp_path / "data.json"))
    text = task.asked(record).text
    assert text == "the red dog and blues , red"
    assert task.gold(record) == {("answer", 4, 11), ("answer", 16, 21), ("answer", 24, 27)}

    def found(start: int, end: int) -> list[str]:
        keys = task.found(record, [TaggedSpan("answer", text[start:end], start, end, 1.0)])
        return [text[start:end] for _, start, end in keys]

    assert found(5, 9) == ["red dog"]
    assert found(16, 17) == ["blues"]
    assert found(3, 5) == ["red"]
    assert found(3, 4) == []

"""In a real pipeline of Haystack."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("haystack", reason="the extra `haystack` is not installed")

from haystack import Document, Pipeline

from caveat.integrations.haystack import CaveatReader, CaveatRetriever


def test_a_pipeline_of_retriever_and_reader(library_folder: Path, reader_folder: Path) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", CaveatRetriever(str(library_folder), top_k=2))
    pipeline.add_component("reader", CaveatReader([str(reader_folder)]))
    pipeline.connect("retriever.documents", "reader.documents")
    asked = {"retriever": {"query": "dog color"}, "reader": {"query": "color?"}}
    best, *_, none = pipeline.run(asked)["reader"]["answers"]
    assert best.data == "red"
    assert best.document.content[best.document_offset.start : best.document_offset.end] == "red"
    assert best.document.meta["headings"] == ["Dogs"]
    assert none.data is None
    assert 0.0 < none.score < best.score
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["caveat.integrations.haystack"])
    assert again.run(asked)["reader"]["answers"][0].data == "red"


def test_documents_without_content_are_passed_over(reader_folder: Path) -> None:
    reader = CaveatReader([str(reader_folder)], top_k=1, no_answer=False)
    assert reader.run(query="color?", documents=[Document(content=None)]) == {"answers": []}
    documents = [Document(content="size ten"), Document(content="color blue", meta={"title": "Cats"})]
    (answer,) = reader.run(query="color?", documents=documents)["answers"]
    assert (answer.data, answer.document) == ("blue", documents[1])
    assert answer.meta["kind"] == "span"


def test_conditions_are_in_the_meta() -> None:
    rule = "# Parking\n\nYou can park here if you have a permit."
    answers = CaveatReader().run(query="Can I park here?", documents=[Document(content=rule)])["answers"]
    assert answers[0].data == "yes"
    assert answers[0].meta["conditions"][0]["text"] == "you have a permit"

"""In a real chain of LangChain."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("langchain_core", reason="the extra `langchain` is not installed")

from langchain_core.documents import Document
from langchain_core.runnables import RunnablePassthrough

from caveat.answerers.engine import load
from caveat.integrations.langchain import CaveatRetriever, caveat_reader


def test_a_chain_of_retriever_and_reader(library_folder: Path, reader_folder: Path) -> None:
    retriever = CaveatRetriever.open(library_folder, top=2)
    found = retriever.invoke("dog color")
    assert found[0].page_content.endswith("color red.")
    assert found[0].metadata["source"].endswith("dog.md")
    reader = caveat_reader(load([reader_folder]))
    chain = {"documents": retriever, "question": RunnablePassthrough()} | reader
    reply = chain.invoke("color dog")
    assert "red" in [answer["text"] for answer in reply["answers"]]


def test_places_are_into_the_documents(reader_folder: Path) -> None:
    documents = [Document(page_content="size ten"), Document(page_content="the color red", id="b")]
    reply = caveat_reader(load([reader_folder])).invoke({"question": "color?", "documents": documents})
    place = reply["answers"][0]["place"]
    assert place["source"] == "b"
    assert documents[1].page_content[place["start"] : place["end"]] == reply["answers"][0]["text"] == "red"

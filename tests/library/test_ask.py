"""Questions to a library, with a reader whose answers are known by construction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from caveat.answerers.engine import Engine, load
from caveat.core.answers import Answer
from caveat.core.records import Document, Question, Reply
from caveat.library.indexing import ask_library
from caveat.library.library import Library


@pytest.fixture(scope="session")
def engine(reader_folder: Path) -> Engine:
    return load(reader_folder)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.chdir(tmp_path)
    return Library.create("library")


def answers(reply: Reply) -> Iterator[Answer]:
    left = list(reply.answers)
    while left:
        answer = left.pop()
        left += answer.parts
        yield answer


def check_places(reply: Reply, library: Library) -> None:
    for answer in answers(reply):
        if answer.place is not None and answer.place.start is not None:
            document = library.document(answer.place.source)
            assert isinstance(document, Document)
            assert document.text[answer.place.start : answer.place.end] == answer.text


def test_the_document_that_answers_is_found(library: Library, engine: Engine) -> None:
    library.put("a.txt", b"color red")
    library.put("b.txt", b"size ten")
    for number in range(20):
        library.put(f"{number}.txt", f"the city and the dog {number}".encode())
    reply = ask_library(engine, library, "size")
    assert reply.answers[0].text == "ten"
    assert reply.answers[0].place is not None
    assert reply.answers[0].place.source == "b.txt"
    check_places(reply, library)


def test_what_nothing_is_found_for_has_no_answer(library: Library, engine: Engine) -> None:
    library.put("a.txt", b"color red")
    reply = ask_library(engine, library, Question("zeppelin", "a scenario"))
    assert (reply.answers, reply.unanswerable, reply.answered) == ((), 1.0, False)
    assert reply.question.scenario == "a scenario"


def test_an_empty_library_answers_nothing(library: Library, engine: Engine) -> None:
    assert ask_library(engine, library, "color").unanswerable == 1.0


def test_a_place_in_a_long_document_is_in_the_whole(library: Library, engine: Engine) -> None:
    filling = "".join(f"## Part {number}\n\n{'the city and the dog. ' * 40}\n\n" for number in range(20))
    text = f"# All\n\n{filling}## Sizes\n\nsize ten\n\n{filling}"
    library.put("long.md", text.encode())
    reply = ask_library(engine, library, "size")
    answer = reply.answers[0]
    assert answer.text == "ten"
    assert answer.place is not None
    assert answer.place.start is not None
    assert answer.place.start > len(text) // 3
    assert answer.place.headings == ("All", "Sizes")
    check_places(reply, library)


def test_copies_are_evidence(library: Library, engine: Engine) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        library.put(name, b"color red")
    reply = ask_library(engine, library, "color")
    assert reply.answers[0].text == "red"
    place = reply.answers[0].place
    assert place is not None
    found = {place.source, *(each.source for each in reply.answers[0].evidence)}
    assert found == {"a.txt", "b.txt", "c.txt"}


def test_tables_and_triples_answer_without_the_reader(library: Library, tmp_path: Path) -> None:
    """A question that no text of the library has to do with loads no reader."""
    library.put("towns.csv", b"town,people\nHolm,1200\nFarby,300\n")
    (tmp_path / "mayors.kb").write_text("Holm ||| mayor ||| Ada Brook\n")
    library.add(["mayors.kb"])
    library.put("color.txt", b"color red")
    idle = Engine([])
    reply = ask_library(idle, library, "How many people are in Farby?")
    assert (reply.answers[0].text, reply.answers[0].kind) == ("300", "table")
    reply = ask_library(idle, library, "Who is the mayor of Holm?")
    assert reply.answers[0].text == "Ada Brook"
    assert reply.answers[0].place is not None
    assert reply.answers[0].place.source == "mayors.kb"


def test_as_many_answers_as_are_asked_for(library: Library, engine: Engine) -> None:
    for number, word in enumerate(("red", "blue", "green", "dark")):
        library.put(f"{number}.txt", f"color {word}".encode())
    assert len(ask_library(engine, library, "color", top=2).answers) == 2


def test_a_place_in_a_document_with_pages_has_its_page(library: Library, engine: Engine) -> None:
    filling = "the city and the dog. " * 400
    text = f"{filling}\n\nsize ten"
    whole = Document(text, pages=(0, len(filling)))
    library.put("long.txt", text.encode())
    number = library.state().find("size", "document", 1)[0].source
    library._store._sources.get(number, lambda: (Document(whole.text, url="long.txt", pages=whole.pages), 1))
    place = ask_library(engine, library, "size").answers[0].place
    assert place is not None
    assert (place.page, place.sentence) == (2, "size ten")

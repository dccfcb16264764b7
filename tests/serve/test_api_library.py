"""The API with a library: asked, listed, added to and taken from, under names that are no paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from caveat.answerers.engine import Engine
from caveat.core.errors import InputError
from caveat.core.records import Reply, from_json
from caveat.library.indexing import ask_library
from caveat.library.library import Library
from caveat.serve.shown import LibraryNames, renamed
from caveat.serve.start import library_of

TEXTS = {"dog.md": "# Dogs\n\nThe dog. color red.\n", "cat.txt": "The cat. color blue. size ten."}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    made = Library.create(tmp_path / "library")
    made.add([folder])
    return made


@pytest.fixture
def client(serving: Callable[..., Any], engine: Engine, library: Library) -> Iterator[httpx.Client]:
    with serving(engine, library) as running:
        yield running


def test_it_is_asked_as_the_function_asks(client: httpx.Client, engine: Engine, library: Library) -> None:
    response = client.post("/ask", json={"question": "color dog?"})
    expected = renamed(ask_library(engine, library, "color dog?"), lambda name: Path(name).name)
    assert from_json(response.content, Reply) == expected
    assert "red" in [answer.text for answer in expected.answers]
    assert client.post("/ask", json={"question": "color dog?", "library": True}).json() == response.json()


def test_documents_that_answers_point_into_come_along(client: httpx.Client) -> None:
    reply = client.post("/ask", json={"question": "color?", "documents": True}).json()
    for answer in reply["answers"]:
        place = answer["place"]
        assert reply["documents"][place["source"]]["text"][place["start"] : place["end"]] == answer["text"]


def test_sources_are_asked_instead_of_the_library_or_beside_it(client: httpx.Client) -> None:
    body = {"question": "color?", "sources": [{"name": "x", "text": "color green"}], "documents": True}
    assert set(client.post("/ask", json=body).json()["documents"]) == {"x"}
    both = client.post("/ask", json={**body, "library": True}).json()
    answers = {answer["text"].rstrip("."): answer["place"]["source"] for answer in both["answers"]}
    assert (answers["green"], answers["red"], answers["blue"]) == ("x", "dog.md", "cat.txt")


def test_only_the_chosen_sources_of_the_library_are_asked(client: httpx.Client) -> None:
    client.put("/library/facts.kb", content=b"Aville ||| mayor ||| Ann Oak\n")
    body = {"question": "color?", "library": ["cat.txt"]}
    answers = client.post("/ask", json=body).json()["answers"]
    assert {answer["place"]["source"] for answer in answers} == {"cat.txt"}
    body = {"question": "Who is the mayor of Aville?", "library": ["facts.kb", "cat.txt"]}
    best = client.post("/ask", json=body).json()["answers"][0]
    assert (best["text"], best["place"]) == ("Ann Oak", {"source": "facts.kb"})
    response = client.post("/ask", json={"question": "color?", "library": ["bear.md"]})
    assert (response.status_code, "bear.md" in response.json()["error"]) == (422, True)


def test_passages_are_searched_without_answering(client: httpx.Client) -> None:
    found = client.post("/search", json={"words": "blue cat"}).json()
    assert (found[0]["source"], found[0]["text"]) == ("cat.txt", TEXTS["cat.txt"])
    start, end = found[0]["marked"][0]
    assert found[0]["text"][start:end] == "cat"
    sources = [{"name": "x", "text": "The blue bird."}]
    of_both = client.post("/search", json={"words": "blue", "sources": sources, "library": True}).json()
    assert {each["source"] for each in of_both} == {"x", "cat.txt"}


def test_sources_come_are_shown_and_go(client: httpx.Client) -> None:
    listed = client.get("/library").json()
    assert {Path(entry["source"]).name for entry in listed} == set(TEXTS)
    added = client.put("/library/zoo/bear.md", content=b"# Bears\n\ncolor green\n")
    assert (added.status_code, added.json()["added"]) == (200, 1)
    shown = client.get("/library/zoo/bear.md").json()
    assert (shown["type"], shown["text"]) == ("document", "Bears\ncolor green")
    answers = client.post("/ask", json={"question": "bears color?"}).json()["answers"]
    assert "green" in [answer["text"] for answer in answers]
    assert client.put("/library/zoo/bear.md", content=b"# Bears\n\ncolor dark\n").json()["replaced"] == 1
    assert client.get("/library/zoo/bear.md").json()["text"] == "Bears\ncolor dark"
    assert len(client.get("/library").json()) == 3
    assert client.delete("/library/zoo/bear.md").json() == {"removed": 1}
    assert client.get("/library/zoo/bear.md").status_code == 404
    assert client.delete("/library/zoo/bear.md").status_code == 404


@pytest.mark.parametrize("path", ["/library//", "/library/zoo", "/library/zoo/", "/library/", "/library///"])
def test_no_folder_is_removed_at_once(client: httpx.Client, library: Library, path: str) -> None:
    for name in ("bear.md", "wolf.md"):
        client.put(f"/library/zoo/{name}", content=b"color green")
    before = library.entries()
    response = client.delete(path)
    assert response.status_code in (404, 422)
    assert set(response.json()) == {"error"}
    assert library.entries() == before


def test_tables_and_triples_come_too(client: httpx.Client, tmp_path: Path) -> None:
    client.put("/library/towns.csv", content=b"town,people\nAville,120\nBetown,75\n")
    assert client.get("/library/towns.csv").json()["rows"] == [["Aville", "120"], ["Betown", "75"]]
    reply = client.post(
        "/ask", json={"question": "How many people live in Betown?", "documents": True}
    ).json()
    assert reply["answers"][0]["text"] == "75"
    assert list(reply["tables"]) == ["towns.csv"]
    client.put("/library/facts.kb", content=b"Aville ||| mayor ||| Ann Oak\n")
    facts = [{"subject": "Aville", "predicate": "mayor", "object": "Ann Oak"}]
    assert client.get("/library/facts.kb").json() == {"type": "knowledge", "path": "facts.kb", "facts": facts}
    reply = client.post("/ask", json={"question": "Who is the mayor of Aville?"}).json()
    assert (reply["answers"][0]["text"], reply["answers"][0]["place"]) == ("Ann Oak", {"source": "facts.kb"})
    assert str(tmp_path) not in client.get("/library/facts.kb").text


def test_what_replaces_a_file_of_the_library_has_its_name_alone(
    client: httpx.Client, library: Library
) -> None:
    name = library.entries()[0].source
    assert client.put(f"/library/{name}", content=b"color dark").status_code == 200
    assert [entry.source for entry in library.entries()].count(name) == 1
    assert client.get(f"/library/{name}").json()["text"] == "color dark"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/library//etc/passwd", 404),
        ("GET", "/library/..%2f..%2f..%2fetc%2fpasswd", 404),
        ("DELETE", "/library/%2fetc%2fpasswd", 404),
        ("PUT", "/library/a%0d%0ab", 404),
        ("PUT", "/library/empty.md", 422),
        ("PUT", "/library/" + "a" * 300, 422),
        ("POST", "/library/x", 405),
    ],
)
def test_names_are_keys_and_no_paths(client: httpx.Client, method: str, path: str, status: int) -> None:
    response = client.request(method, path)
    assert response.status_code == status
    assert set(response.json()) == {"error"}


def test_the_folder_of_the_library_is_not_told(client: httpx.Client, library: Library) -> None:
    (library.folder / "library.json").write_bytes(b"nothing")
    response = client.get("/library")
    assert response.status_code == 422
    assert str(library.folder) not in response.text


def test_no_answer_tells_where_files_are(client: httpx.Client, library: Library, tmp_path: Path) -> None:
    assert all(str(tmp_path) in entry.source for entry in library.entries())
    asked = {"question": "color dog?", "documents": True}
    answers = [
        client.get("/library"),
        client.post("/ask", json=asked),
        client.get("/library/dog.md"),
        client.get("/library/nothing.md"),
        client.put("/library/dog.md", content=b"color dark"),
        client.delete("/library/nothing.md"),
        client.delete("/library//"),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 404, 200, 404, 422]
    for answer in answers:
        assert str(tmp_path) not in answer.text, answer.request.url
    assert {entry["source"] for entry in answers[0].json()} == {"dog.md", "cat.txt"}
    assert "dog.md" in answers[1].json()["documents"]
    assert len(library.entries()) == 2
    assert client.delete("/library/dog.md").json() == {"removed": 1}


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["rules/dogs.md", "fees.csv"], ["rules/dogs.md", "fees.csv"]),
        (["/home/me/a/x.md", "/home/me/b/y.md"], ["a/x.md", "b/y.md"]),
        (["/home/me/x.md"], ["x.md"]),
        (["/home/me/x.md", "x.md"], ["me/x.md", "x.md"]),
        (["/home/me/f.xlsx#1", "/home/me/f.xlsx#2"], ["f.xlsx#1", "f.xlsx#2"]),
        ([], []),
    ],
)
def test_names_are_shown_from_their_common_folder_on(names: list[str], shown: list[str]) -> None:
    known = LibraryNames(names)
    assert [known.shown(name) for name in names] == shown
    assert [known.real(name) for name in shown] == names
    assert known.real("new.md") == "new.md"


def test_the_file_of_several_sources_has_a_name_too() -> None:
    assert LibraryNames(["/home/me/f.xlsx#1"]).real("f.xlsx") == "/home/me/f.xlsx"


def test_a_folder_of_sources_is_indexed_for_the_time_being(tmp_path: Path, library: Library) -> None:
    with library_of(tmp_path / "texts") as made:
        assert made is not None
        assert {Path(entry.source).name for entry in made.entries()} == set(TEXTS)
        place = made.folder
    assert not place.exists()
    with library_of(library.folder) as opened:
        assert opened is not None
        assert opened.folder == library.folder
    with library_of(None) as none:
        assert none is None
    with pytest.raises(InputError, match="there is no such folder"), library_of(tmp_path / "nowhere"):
        pass


def test_without_a_library_that_is_said(serving: Callable[..., Any], engine: Engine) -> None:
    with serving(engine) as client:
        for response in (
            client.get("/library"),
            client.put("/library/x", content=b"a"),
            client.delete("/library/x"),
        ):
            assert (response.status_code, "has no library" in response.json()["error"]) == (404, True)

"""`caveat index`, `caveat library` and `caveat ask --library` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def texts(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.md").write_text("# Colours\n\ncolor red\n")
    (tmp_path / "texts" / "b.csv").write_text("town,people\nHolm,1200\nFarby,300\n")
    (tmp_path / "texts" / "c.kb").write_text("Holm ||| mayor ||| Ada Brook\n")


@pytest.mark.slow
@pytest.mark.usefixtures("texts")
def test_a_library_from_its_beginning_to_its_end(caveat: Any, tmp_path: Path, reader_folder: Path) -> None:
    done = caveat("index", "texts", "--out", "library", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["added"], report["passages"], report["unread"]) == (3, 2, [])

    done = caveat("library", "list", "library", "--json")
    assert [entry["kind"] for entry in json.loads(done.stdout)] == ["document", "table", "knowledge"]

    ask = ("--library", "library", "--model", reader_folder, "--json")
    reply = json.loads(caveat("ask", "color", *ask).stdout)
    assert reply["answers"][0]["text"] == "red"
    assert reply["answers"][0]["place"]["source"] == "texts/a.md"
    reply = json.loads(caveat("ask", "Who is the mayor of Holm?", *ask).stdout)
    assert (reply["answers"][0]["text"], reply["answers"][0]["place"]) == (
        "Ada Brook",
        {"source": "texts/c.kb"},
    )
    reply = json.loads(caveat("ask", "How many people are in Farby?", *ask).stdout)
    assert (reply["answers"][0]["text"], reply["answers"][0]["place"]["source"]) == ("300", "texts/b.csv")

    done = caveat("ask", "color", "--library", "library", "--model", reader_folder, "--html", "page.html")
    assert "color «red»" in done.stdout
    assert "texts/a.md" in (tmp_path / "page.html").read_text("utf-8")

    (tmp_path / "more.txt").write_text("size ten\n")
    done = caveat("library", "add", "library", "more.txt")
    assert ["files", "added", "1"] in [line.split() for line in done.stdout.splitlines()]
    assert caveat("library", "remove", "library", "texts").stdout == "3 files removed.\n"
    assert caveat("library", "verify", "library").stdout == "Sound.\n"
    done = caveat("library", "list", "library")
    assert [line.split() for line in done.stdout.splitlines()][3:4] == [["more.txt", "document", "9", "1"]]


@pytest.mark.usefixtures("texts")
def test_a_library_stands_where_a_source_may(caveat: Any, tmp_path: Path, reader_folder: Path) -> None:
    assert caveat("index", "texts", "--out", "library").returncode == 0
    options = ("--model", reader_folder, "--json")
    named = caveat("ask", "color", "library", *options)
    assert named.returncode == 0, named.stderr
    assert named.stdout == caveat("ask", "color", "--library", "library", *options).stdout
    # Files of one's own are asked with it.
    (tmp_path / "notes.md").write_text("size ten\n")
    for sources in (("library", "notes.md"), ("notes.md", "--library", "library")):
        for question, answer in (("color", "red"), ("size", "ten")):
            done = caveat("ask", question, *sources, *options)
            assert json.loads(done.stdout)["answers"][0]["text"] == answer, done.stderr
    # A folder with a file of that name is a folder.
    (tmp_path / "texts" / "library.json").write_text('[{"town": "Holm", "people": 1200}]')
    assert json.loads(caveat("ask", "color", "texts", *options).stdout)["answers"][0]["text"] == "red"


@pytest.mark.usefixtures("texts")
def test_damage_is_told(caveat: Any, tmp_path: Path) -> None:
    caveat("index", "texts", "--out", "library")
    records = next((tmp_path / "library").rglob("records-*"))
    records.write_bytes(records.read_bytes()[:-1] + b"!")
    done = caveat("library", "verify", "library")
    assert done.returncode == 1
    assert done.stdout == f"{records.name} is damaged: its checksum is wrong\n1 problem found.\n"
    done = caveat("ask", "color", "--library", "library")
    assert (done.returncode, done.stdout) == (1, "")
    assert "make the library again with `caveat index`" in done.stderr


@pytest.mark.usefixtures("texts")
def test_triples_alone_are_an_index_and_a_library_takes_them_too(caveat: Any, tmp_path: Path) -> None:
    assert "triples" in caveat("index", "texts/c.kb", "--out", "index").stdout
    assert (tmp_path / "index" / "triples.index").exists()
    caveat("index", "texts/a.md", "--out", "library")
    assert "files added" in caveat("index", "texts/c.kb", "--out", "library").stdout


@pytest.mark.usefixtures("texts")
def test_what_cannot_be_done(caveat: Any) -> None:
    caveat("index", "texts/c.kb", "--out", "index")
    for arguments, code, sentence in [
        (["ask", "color", "--library", "texts"], 1, "texts: is no library: `caveat index"),
        (["ask", "color", "--library", "index"], 1, "index: is an index of triples: it is asked as a source"),
        (
            ["ask", "color", "texts", "--library", "index"],
            1,
            "index: is an index of triples: it is asked as a",
        ),
        (["ask", "color"], 2, "nothing to answer from"),
        (["library", "list", "none"], 1, "none: is no library"),
        (["library", "verify", "none"], 1, "none: is no library"),
        (["index", "texts", "--out", "index"], 2, "index is an index of triples: a library needs a folder"),
    ]:
        done = caveat(*arguments)
        assert (done.returncode, done.stdout) == (code, ""), arguments
        assert sentence in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.usefixtures("texts")
def test_what_is_not_read_is_listed(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "texts" / "x.bin").write_bytes(b"x")
    done = caveat("index", "texts", "--out", "library")
    assert done.returncode == 0
    assert done.stderr == "caveat: not read: texts/x.bin: is of a kind that is not read (.bin).\n"
    assert caveat("index", "texts", "--out", "library", "--strict").returncode == 1

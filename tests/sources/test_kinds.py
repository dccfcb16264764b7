"""Letters, rich text, reStructuredText, subtitles, JSON, notebooks and archives: what is read of each."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest

from caveat.core.errors import InputError
from caveat.core.limits import limits
from caveat.core.records import Document, KnowledgeBase, Remark, Table
from caveat.sources.contents import Contents
from caveat.sources.gather import gather, read, read_sources
from caveat.sources.read import parse_file


def tagged(contents: Contents) -> list[tuple[str, str]]:
    assert contents.document is not None
    return [(element.tag, element.text) for element in contents.document.elements]


LETTER = """From: Ann <ann@example.org>
To: =?utf-8?b?5rKI5bKa?= <lan@example.org>
Subject: The regatta
Date: Fri, 4 Sep 2026 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain; charset=utf-8

Dear Lan,

entries close on Friday.
--b
Content-Type: text/csv; name="fees.csv"
Content-Disposition: attachment; filename="../../fees.csv"

Crew,Fee
Junior,6
Senior,12
--b
Content-Type: application/x-msdownload
Content-Disposition: attachment; filename="run.exe"

x
--b--
"""


def test_a_letter_and_what_is_attached(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_text(LETTER, encoding="utf-8")
    given = gather(path)
    (document,) = given.documents
    assert [element.text for element in document.elements] == [
        "The regatta",
        "From: Ann <ann@example.org>",
        "To: 沈岚 <lan@example.org>",
        "Date: Fri, 04 Sep 2026 10:00:00 +0000",
        "Dear Lan,",
        "entries close on Friday.",
    ]
    assert document.title == "The regatta"
    (table,) = given.tables
    assert (table.id, table.rows) == (f"{path}/fees.csv", (("Junior", "6"), ("Senior", "12")))
    assert given.unread == (Remark(f"{path}/run.exe", "is of a kind that is not read (.exe)"),)
    assert tagged(parse_file(LETTER.replace("text/plain", "text/html").encode(), "a.eml"))[-1] == (
        "p",
        "Dear Lan, entries close on Friday.",
    )
    with pytest.raises(InputError, match=r"a\.eml: cannot be read as a letter: it has no head"):
        parse_file(b"Dear Lan,\n\nhello", "a.eml")


def test_rich_text() -> None:
    text = rb"{\rtf1\ansi\ansicpg936 {\b Fees}\par It costs 5 \'80\par \'b7\'d1\'d3\'c3\'ce\'aa8\'d4\'aa\par}"
    assert tagged(parse_file(text, "a.rtf"))[0] == ("p", "Fees")
    assert "费用为8元" in read_text(text, "a.rtf")


def read_text(data: bytes, name: str) -> str:
    document = parse_file(data, name).document
    assert document is not None
    return document.text


REST = """Fees
====

It costs *five* euros:

- for adults
- for guests

====== =====
Boat   Seats
====== =====
Swift  1
Heron  8
====== =====

.. include:: /etc/passwd
"""


def test_restructured_text_with_and_without_docutils(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docutils", None)
    contents = parse_file(REST.encode(), "a.rst")
    assert contents.remark == (
        'read as plain text: pip install ".[rst]" in a clone of Caveat to read its headings, lists and tables'
    )
    assert contents.document is not None
    assert contents.document.text == REST
    monkeypatch.undo()
    pytest.importorskip("docutils", reason="docutils is not installed")
    contents = parse_file(REST.encode(), "a.rst")
    assert tagged(contents)[:4] == [
        ("h1", "Fees"),
        ("p", "It costs five euros:"),
        ("li", "for adults"),
        ("li", "for guests"),
    ]
    assert contents.tables[0].table.rows == (("Swift", "1"), ("Heron", "8"))
    assert contents.document is not None
    assert "root" not in contents.document.text


SRT = """1
00:00:01,000 --> 00:00:03,000
<i>The lake</i> opens

2
00:00:03,000 --> 00:00:05,000
at six in the morning.

3
00:01:00,000 --> 00:01:02,000
{\\an8}Bring a light.
"""


def test_subtitles() -> None:
    assert tagged(parse_file(SRT.encode(), "a.srt")) == [
        ("p", "The lake opens at six in the morning."),
        ("p", "Bring a light."),
    ]
    vtt = "WEBVTT - film\n\nNOTE who\n\n00:01.000 --> 00:02.000 align:start\n<v Ann>Is it &lt;5&gt;?\n\n"
    vtt += "00:02.000 --> 00:03.000\n<v Bo>It is."
    assert tagged(parse_file(vtt.encode(), "a.vtt")) == [("p", "Ann: Is it <5>?"), ("p", "Bo: It is.")]
    with pytest.raises(InputError, match=r"a\.srt: has no subtitles in it"):
        parse_file(b"Hello.", "a.srt")


def table_of(data: object, name: str = "boats.json") -> Table:
    (found,) = parse_file(json.dumps(data).encode(), name).tables
    return found.table


def test_json_as_tables() -> None:
    boats = [
        {"name": "Swift", "size": {"seats": 1, "kg": 14.5}, "for": ["juniors", "guests"]},
        {"name": "Heron"},
    ]
    table = table_of(boats)
    assert table.headers == ("name", "size seats", "size kg", "for")
    assert table.rows == (("Swift", "1", "14.5", "juniors; guests"), ("Heron", "", "", ""))
    assert table.caption == "boats"
    assert table_of([["Boat", "Seats"], ["Swift", 1]]).rows == (("Swift", "1"),)
    several = parse_file(
        json.dumps({"club": "Heron Lake", "open": True, "boats": boats}).encode(), "c.json"
    ).tables
    assert [found.table.caption for found in several] == ["c", "c: boats"]
    assert several[0].table.rows == (("Heron Lake", "yes"),)
    lines = b'{"name": "Swift", "seats": 1}\n\n{"name": "Heron", "seats": 8}\n'
    assert parse_file(lines, "a.jsonl").tables[0].table.rows == (("Swift", "1"), ("Heron", "8"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", r"a\.json: is not JSON"),
        (b'{"a": 1}\n{"b"', r"a\.json, line 2: is not JSON"),
        (b"[1, 2]", "holds no objects that would make a table"),
        (b"[" * 100_000, "is not JSON|is damaged"),
        (b'{"a":' * 3000 + b"1" + b"}" * 3000, "not JSON|is damaged|no objects"),
    ],
)
def test_json_that_is_no_table(content: bytes, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        parse_file(content, "a.json")


def test_json_as_triples(tmp_path: Path) -> None:
    triples = [
        {"subject": "Heron Lake", "predicate": "depth", "object": "31 m"},
        ["Heron Lake", "outflow", "Elm"],
    ]
    whole, lines = tmp_path / "a.json", tmp_path / "a.jsonl"
    whole.write_text(json.dumps(triples[:1]), encoding="utf-8")
    lines.write_text("\n".join(map(json.dumps, triples)), encoding="utf-8")
    assert gather([whole, lines]).bases == (KnowledgeBase(str(whole)), KnowledgeBase(str(lines)))
    other = tmp_path / "b.json"
    other.write_text('[{"subject": "Maths", "teacher": "Ann"}]', encoding="utf-8")
    assert gather(other).tables[0].headers == ("subject", "teacher")


def test_a_notebook() -> None:
    html = "<table><tr><th>Boat<th>Seats<tr><td>Swift<td>1<tr><td>Heron<td>8</table>"
    cells = [
        {"cell_type": "markdown", "source": ["# Boats\n", "Eight of **them**."], "metadata": {}},
        {"cell_type": "code", "source": "print(8)", "outputs": [{"output_type": "stream", "text": ["8\n"]}]},
        {"cell_type": "code", "source": "", "outputs": [{"data": {"text/html": html, "text/plain": "x"}}]},
    ]
    contents = parse_file(json.dumps({"cells": cells, "nbformat": 4}).encode(), "a.ipynb")
    assert [text for _, text in tagged(contents)][:4] == ["Boats", "Eight of them.", "print(8)", "8"]
    assert contents.tables[0].table.rows == (("Swift", "1"), ("Heron", "8"))
    with pytest.raises(InputError, match=r"a\.ipynb: cannot be read as a notebook"):
        parse_file(b"{}", "a.ipynb")


def archive(parts: dict[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with ZipFile(out, "w", method) as written:
        for name, content in parts.items():
            written.writestr(name, content)
    return out.getvalue()


def test_an_archive_is_read_as_a_folder_is(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    inner = archive({"a.txt": b"Deep."})
    parts = {
        "notes.txt": b"The fee is 5 euros.",
        "sub/boats.csv": b"Boat,Seats\nSwift,1\nHeron,8\n",
        "../out.txt": b"Outside.",
        "/etc/x.txt": b"Outside.",
        "C:\\x.txt": b"Outside.",
        "empty.txt": b"",
        "film.mp4": b"x",
        "inner.zip": inner,
        "facts.kb": b"a ||| b ||| c\n",
        ".hidden.txt": b"x",
        "__MACOSX/notes.txt": b"x",
    }
    path.write_bytes(archive(parts))
    given = gather(path)
    (document,) = given.documents
    assert (document.url, document.text) == (f"{path}/notes.txt", "The fee is 5 euros.")
    assert given.tables[0].id == f"{path}/sub/boats.csv"
    unread = {remark.source.removeprefix(f"{path}/"): remark.text for remark in given.unread}
    assert unread == {
        "../out.txt": "has a name that leads out of the archive",
        "/etc/x.txt": "has a name that leads out of the archive",
        "C:\\x.txt": "has a name that leads out of the archive",
        "empty.txt": "is empty",
        "film.mp4": "is of a kind that is not read (.mp4)",
        "inner.zip": "is an archive inside of another: unpack it and ask again",
        "facts.kb": "holds triples, which are read from a file of their own",
    }
    # A place names it so, and so it is read alone.
    assert read(f"{path}/notes.txt") == document
    with pytest.raises(InputError, match=r"all\.zip: has no file none\.txt in it"):
        read(f"{path}/none.txt")
    with pytest.raises(InputError, match="leads out of the archive"):
        gather(path, strict=True)
    # In a folder, beside others.
    (tmp_path / "b.md").write_text("# Fees", encoding="utf-8")
    names = [Path(found.name).name for found in read_sources([tmp_path])]
    assert names == ["notes.txt", "boats.csv", "b.md"]


def test_names_of_chinese_systems(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    # As cp437, which zip files are in where they do not say otherwise, the bytes of GB18030 are other letters.
    raw = archive({"xxxx.txt": "费用为8元。".encode()})
    path.write_bytes(raw.replace(b"xxxx.txt", "费用".encode("gb18030") + b".txt"))
    assert gather(path).documents[0].url == f"{path}/费用.txt"


def test_archives_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(archive({"a.txt": b"x" * 100_000}))
    with (
        limits(source_bytes=50_000),
        pytest.raises(InputError, match="holds more than 50,000 bytes, uncompressed"),
    ):
        gather(path)
    path.write_bytes(archive({"a.txt": b"x", "b.txt": b"y"}))
    with limits(files=1), pytest.raises(InputError, match="holds 2 files"):
        gather(path)
    path.write_bytes(archive({"a.txt": b"x"}, ZIP_LZMA))
    with pytest.raises(InputError, match="is packed in a way that is not read"):
        gather(path)
    path.write_bytes(archive({"a.mp4": b"x"}))
    with pytest.raises(InputError, match=r"a\.zip: has nothing in it to answer from"):
        gather(path)
    path.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(InputError, match=r"a\.zip: cannot be read as a zip archive"):
        gather(path)


def test_what_restructured_text_takes_from_elsewhere_is_said() -> None:
    """Nothing is taken from other files, and what only Sphinx knows is not read either."""
    pytest.importorskip("docutils", reason="docutils is not installed")
    text = """It costs five euros.

.. include:: other.rst

.. csv-table:: Boats
   :file: boats.csv

.. versionadded:: 2.0
   It is free on Sundays.
"""
    contents = parse_file(text.encode(), "a.rst")
    assert contents.document is not None
    assert contents.document.text == "It costs five euros."
    assert contents.remark == (
        "left out, since other files and unknown directives are not read: "
        "include:: other.rst, csv-table:: Boats, versionadded:: 2.0"
    )
    many = parse_file(b"Fees.\n\n" + b".. include:: a.rst\n\n" * 7, "a.rst")
    assert many.remark.endswith("include:: a.rst, include:: a.rst and 2 more")
    assert parse_file(b"Fees *of* the\n`club`.\n", "a.rst").remark == ""
    guessed = parse_file("Le café coûte 5 €. Où est l'élève ?".encode("cp1252"), "a.rst")
    assert "only guessed to be Windows-1252" in guessed.remark


def test_restructured_text_may_have_long_lines() -> None:
    pytest.importorskip("docutils", reason="docutils is not installed")
    line = "It costs five euros. " * 1000
    contents = parse_file(f"Fees\n====\n\n{line}\n".encode(), "a.rst")
    assert contents.document is not None
    assert contents.document.text == f"Fees\n{line.strip()}"
    assert contents.remark == ""


def test_documents_of_all_kinds_have_their_elements_where_they_say(tmp_path: Path) -> None:
    for name, data in (("a.srt", SRT.encode()), ("a.eml", LETTER.encode()), ("a.rst", REST.encode())):
        document = parse_file(data, name).document
        assert isinstance(document, Document)
        assert all(document.text[each.start : each.end] == each.text for each in document.elements)

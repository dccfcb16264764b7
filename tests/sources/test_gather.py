"""What files hold: which are documents, tables and knowledge bases, and what is said about odd ones."""

from __future__ import annotations

import errno
import gzip
import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from caveat.core.errors import CaveatError, InputError
from caveat.core.records import Document, KnowledgeBase, Remark, Table
from caveat.library.triples.build import build_index
from caveat.sources.gather import Given, files_of, gather, read_sources

CSV = "Town,People\nArvo,340\nRauma,5100\n"
PAGE = "<h1>Towns</h1><p>There are two.</p><table><tr><th>Town<th>People<tr><td>Arvo<td>340</table>"
MARKDOWN = "# Towns\n\n| Town | People |\n|---|---|\n| Arvo | 340 |\n"
TRIPLES = "青石桥 ||| 长度 ||| 46米\n青石桥 ||| 横跨 ||| 清水河\n"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, content: str | bytes) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def kinds(*paths: str) -> list[tuple[str, str]]:
    return [(read.name, type(read.source).__name__) for read in read_sources(paths)]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", CSV, ["Table"]),
        ("a.csv.gz", gzip.compress(CSV.encode(), mtime=0), ["Table"]),
        ("a.tsv", CSV.replace(",", "\t"), ["Table"]),
        ("a.html", PAGE, ["Document", "Table"]),
        ("a.md", MARKDOWN, ["Document", "Table"]),
        ("b.md", "# No table\n\nhere", ["Document"]),
        ("a.txt", CSV, ["Document"]),
        ("a.kb", TRIPLES, ["KnowledgeBase"]),
        ("triples.txt", TRIPLES, ["KnowledgeBase"]),
        ("facts.csv", "subject,predicate,object\nArvo,people,340\n", ["KnowledgeBase"]),
        ("noending", CSV, ["Table"]),
        ("noending", PAGE, ["Document"]),
        ("page", f"<html>{PAGE}", ["Document", "Table"]),
        ("noending", MARKDOWN, ["Document", "Table"]),
        ("letter", "Dear Ann,\nwe met Bob, Cleo and Dan.\n", ["Document"]),
        ("gbk.csv", "城镇,人口\n青石,1200\n柳河,340\n".encode("gbk"), ["Table"]),
    ],
)
def test_kinds(name: str, content: str | bytes, expected: list[str]) -> None:
    assert kinds(write(name, content)) == [(name, kind) for kind in expected]


def test_an_index_is_a_knowledge_base(here: Path) -> None:
    build_index([write("a.kb", TRIPLES)], "index")
    assert kinds("index") == [("index", "KnowledgeBase")]
    assert gather("index") == Given(bases=(KnowledgeBase("index"),))


def test_a_folder_of_everything() -> None:
    files: dict[str, str | bytes] = {
        "all/a.csv": CSV,
        "all/sub/page.html": PAGE,
        "all/sub/facts.nt": '<http://e.org/Arvo> <http://e.org/people> "340" .\n',
        "all/notes.txt": "Arvo is an island.",
        "all/.hidden.csv": CSV,
        "all/~$book.xlsx": "lock",
        "all/picture.png": b"\x89PNG",
    }
    for name, content in files.items():
        write(name, content)
    found = [
        (str(Path(name).relative_to("all").as_posix()), kind) for name, kind in kinds("all", "all/a.csv")
    ]
    assert found == [
        ("a.csv", "Table"),
        ("notes.txt", "Document"),
        ("sub/facts.nt", "KnowledgeBase"),
        ("sub/page.html", "Document"),
        ("sub/page.html", "Table"),
    ]
    given = gather("all")
    assert [len(of_kind) for of_kind in given[:3]] == [2, 2, 1]
    assert given.documents[0].url == str(Path("all", "notes.txt"))


def test_records_and_paths_mixed() -> None:
    document, table, base = Document("text"), Table(("a",), (("1",),)), KnowledgeBase("x.kb")
    given = gather([table, write("a.csv", CSV), document, base])
    assert given.documents == (document,)
    assert [each.headers for each in given.tables] == [("a",), ("Town", "People")]
    assert given.bases == (base,)
    assert gather(table) == Given(tables=(table,))


@pytest.mark.parametrize(
    "content", [CSV, "Town,People\nArvo,340\nRauma\t,5100,1755\nLindholm,12\n", CSV.replace(",", ";")]
)
def test_a_table_on_standard_input(monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    stream = io.BufferedReader(io.BytesIO(content.encode()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    (read,) = read_sources(["-"])
    assert isinstance(read.source, Table)
    assert read.source.headers[:2] == ("Town", "People")
    assert read.source.id == "-"


def test_what_is_odd_about_a_table_is_said() -> None:
    def remark(content: str) -> str:
        (read,) = read_sources([write("a.csv", content)])
        return read.remark

    assert remark(CSV) == ""
    assert remark("Arvo,340\nRauma,5100\n") == (
        "no row names the columns, so they are called column 1, column 2 and so on"
    )
    assert remark(CSV + "Lindholm\n") == "1 row has more or fewer cells than there are columns"
    assert remark("1,2\n3,4\n5\n6,7,8\n").endswith(
        "so on; 2 rows have more or fewer cells than there are columns"
    )


def test_columns_of_one_name() -> None:
    (read,) = read_sources([write("a.csv", "Team,Score,Score\nReds,3,5\n")])
    assert isinstance(read.source, Table)
    assert read.source.headers == ("Team", "Score", "Score (2)")


def test_a_page_with_a_table_that_is_none_is_still_a_document() -> None:
    wide = "<tr>" + "<td>x" * 900
    page = f"<p>It costs 5.</p><table>{'<tr><td>a<td>b' * 50}{wide}</table>"
    assert kinds(write("a.html", page))[0] == ("a.html", "Document")


def test_what_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def problem(name: str, content: str | bytes) -> str:
        with pytest.raises(CaveatError) as caught:
            list(read_sources([write(name, content)]))
        return str(caught.value)

    assert problem("a.csv", "") == "a.csv: is empty"
    assert problem("a.csv", " \n") == "a.csv: is empty"
    assert problem("a.csv", ",,\n,,\n") == "a.csv: has no cells in it"
    assert problem("old.xls", b"\xd0\xcf\x11\xe0").startswith("old.xls: cannot be read as a spreadsheet")
    assert problem("a.docx", b"PK\x03\x04").startswith("a.docx: cannot be read as a Word file")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert (
        problem("a.xlsx", b"PK\x03\x04 xl/")
        == "Reading spreadsheets needs python_calamine: pip install python-calamine"
    )
    # A workbook is known by its content as well.
    assert problem("book", b"PK\x03\x04 xl/").startswith("Reading spreadsheets needs python_calamine")
    with pytest.raises(InputError, match=r"none\.csv: cannot be opened: no such file"):
        list(read_sources(["none.csv"]))
    with pytest.raises(InputError, match="there is no such file; a text itself is given as Document"):
        gather("It costs 5 euros.")
    with pytest.raises(InputError, match="no source"):
        gather([])
    Path("nothing").mkdir()
    with pytest.raises(InputError, match=r"nothing: has nothing in it to answer from: \.txt, "):
        list(read_sources(["nothing"]))


def listed(folder: str) -> tuple[list[str], dict[str, str]]:
    """The files of a folder that are read, and what is said of the others."""
    unread: list[Remark] = []
    read = [Path(read.name).name for read in read_sources([folder], unread=unread.append)]
    return read, {Path(remark.source).name: remark.text for remark in unread}


def test_one_bad_file_never_stops_a_folder_and_each_is_listed() -> None:
    Path("all").mkdir()
    write("all/notes.txt", "The fee is 5 euros.")
    write("all/letter.docx", b"PK\x03\x04")
    write("all/film.mp4", b"\0\0\0 ftyp")
    write("all/old.xls", b"\xd0\xcf\x11\xe0")
    write("all/empty.txt", "")
    write("all/torn.pdf", b"%PDF-1.4")
    write("all/README", "About this folder.")
    os.mkfifo("all/pipe.txt")
    Path("all/zeros.txt").symlink_to("/dev/zero")
    Path("all/lost.txt").symlink_to("nowhere")
    read, unread = listed("all")
    assert read == ["notes.txt"]
    assert unread.keys() == {
        *(
            "letter.docx",
            "film.mp4",
            "old.xls",
            "empty.txt",
            "torn.pdf",
            "README",
            "pipe.txt",
            "zeros.txt",
            "lost.txt",
        )
    }
    assert unread["letter.docx"].startswith("cannot be read as a Word file")
    assert unread["film.mp4"] == "is of a kind that is not read (.mp4)"
    assert unread["empty.txt"] == "is empty"
    assert unread["pipe.txt"] == unread["zeros.txt"] == "is a pipe or a device, not a file"
    assert unread["lost.txt"] == "cannot be opened: no such file or directory"
    assert gather("all").unread != ()


def test_a_folder_that_cannot_be_opened_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("all/closed").mkdir(parents=True)
    write("all/notes.txt", "The fee is 5 euros.")
    scandir = os.scandir

    def refusing(path: Any) -> Any:  # root may read whatever its mode is
        if str(path).endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert listed("all") == (["notes.txt"], {"closed": "cannot be opened: permission denied"})


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file opens here that cannot be read")
def test_a_file_that_opens_but_cannot_be_read_is_listed() -> None:
    """The memory of a process is a file whose first bytes are an input/output error."""
    write("all/notes.txt", "The fee is 5 euros.")
    for name in ("a.txt", "b.csv", "c.json", "d.kb", "e.pdf"):
        Path("all", name).symlink_to("/proc/self/mem")
        read, unread = listed("all")
        assert (read, unread) == (["notes.txt"], {name: "cannot be read: input/output error"})
        with pytest.raises(InputError, match="cannot be read: input/output error"):
            gather(f"all/{name}")
        Path("all", name).unlink()


def test_a_damaged_gzip_file_of_a_folder_is_listed() -> None:
    write("all/notes.txt", "The fee is 5 euros.")
    packed = bytearray(gzip.compress(CSV.encode() * 50, mtime=0))
    packed[10] = 0xFF  # a kind of block that there is not
    write("all/a.csv.gz", bytes(packed))
    read, unread = listed("all")
    assert read == ["notes.txt"]
    assert unread["a.csv.gz"].startswith("the gzip file is damaged: ")


def test_a_folder_inside_of_very_many_is_read(here: Path) -> None:
    """As far as the system knows longer names; what is beyond is said."""
    names = ["all", *["d"] * 1500, *["e" * 200] * 20]
    for depth, name in enumerate(names):
        Path(name).mkdir()
        os.chdir(name)
        if depth == 1500:
            write("notes.txt", "The fee is 5 euros.")
    write("far.txt", "The fee is 7 euros.")
    os.chdir(here)
    unread: list[Remark] = []
    try:
        (read,) = read_sources(["all"], unread=unread.append)
        assert read.source.text == "The fee is 5 euros."  # type: ignore[union-attr]
        assert [remark.text for remark in unread] == ["cannot be opened: file name too long"]
    finally:  # the temporary folder is removed by a function that calls itself for each folder
        for name in names:
            os.chdir(name)
        Path("far.txt").unlink()
        for depth, name in reversed(list(enumerate(names))):
            if depth == 1500:
                Path("notes.txt").unlink()
            os.chdir("..")
            Path(name).rmdir()


def test_a_name_that_no_file_can_have_is_a_sentence() -> None:
    write("notes.txt", "The fee is 5 euros.")
    for read in (gather, lambda name: list(read_sources([name])), files_of):
        with pytest.raises(InputError, match=r"^The name of a source is empty: name a file, a folder or"):
            read("")
        with pytest.raises(InputError, match=r"no such file|has a NUL character in its name"):
            read("a\0b")
        with pytest.raises(InputError, match=r"http://\\x00/: has a NUL character in its name"):
            read("http://\0/")
        with pytest.raises(InputError, match=r"no such file|file name too long"):
            read("x" * 5000)


def test_strict_makes_an_error_of_what_is_not_read() -> None:
    Path("all").mkdir()
    write("all/notes.txt", "The fee is 5 euros.")
    write("all/a.mp4", b"\0\0\0 ftyp")
    with pytest.raises(InputError, match=r"a\.mp4: is of a kind that is not read \(\.mp4\)$"):
        list(read_sources(["all"], strict=True))
    write("all/b.mp4", b"\0\0\0 ftyp")
    with pytest.raises(InputError, match=r"and 1 other could not be read"):
        gather("all", strict=True)


def test_a_folder_of_which_nothing_can_be_read_is_an_error_with_a_reason() -> None:
    Path("all").mkdir()
    write("all/empty.txt", "")
    with pytest.raises(InputError, match=r"all: has nothing in it to answer from: .*; empty\.txt is empty$"):
        gather("all")


@pytest.mark.parametrize("wrong", [5, None, ["a.txt"], b"a.txt"])
def test_a_source_of_a_wrong_type_is_refused_even_beside_a_good_one(wrong: Any) -> None:
    with pytest.raises(InputError, match="A source is a Document, a Table, a KnowledgeBase or a path, got"):
        gather([Document("The fee is 5 euros."), wrong])


def test_a_guessed_encoding_is_said() -> None:
    (read,) = read_sources([write("a.txt", "Günther Müller leitet das Büro.".encode("cp1252"))])
    assert isinstance(read.source, Document)
    assert read.source.text == "Günther Müller leitet das Büro."
    assert "only guessed to be Windows-1252" in read.remark
    table = write("a.csv", "名稱,費用\n簽證,一百二十元\n護照,五百元\n".encode("big5"))
    given = gather(table)
    assert given.tables[0].rows[0] == ("簽證", "一百二十元")
    assert [(remark.source, "Big5" in remark.text) for remark in given.remarks] == [("a.csv", True)]

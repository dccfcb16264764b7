"""What single files hold: which are documents, which have tables, and what is said about odd ones."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from caveat.core.errors import InputError
from caveat.core.records import Document
from caveat.sources import kinds
from caveat.sources.gather import read_sources
from caveat.sources.grid import ReadTable
from caveat.sources.read import read_file

Read = Callable[..., ReadTable]


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def read_document(path: Path) -> Document:
    document, tables, *_ = read_file(path)
    assert document is not None
    assert not tables
    return document


def test_the_ending_tells_the_kind(tmp_path: Path) -> None:
    source = "# Fees\n<b>£5</b>"
    tags = {
        name: [element.tag for element in read_document(write(tmp_path / name, source)).elements]
        for name in ("a.txt", "a.md", "a.HTML", "a")
    }
    assert tags == {
        "a.txt": ["p", "p"],
        "a.md": ["h1", "p"],
        "a.HTML": ["p"],
        "a": ["p", "p"],
    }


def test_without_an_ending_the_content_tells(tmp_path: Path) -> None:
    for beginning in (
        "<!DOCTYPE html>",
        "\n<!-- a - b --><HTML>",
        '<?xml version="1.0"?>\n<html>',
        "\ufeff<html>",
    ):
        assert read_document(write(tmp_path / "page", beginning + "<p>£5</p>")).text == "£5"
    assert read_document(write(tmp_path / "page", "<html5 is a word")).text == "<html5 is a word"


def test_text_keeps_its_line_ends(tmp_path: Path) -> None:
    document = read_document(write(tmp_path / "a.txt", "\ufeffone\r\n\r\ntwo\r\n"))
    assert document.text == "one\r\n\r\ntwo\r\n"
    assert document.elements[1].start == 7


@pytest.mark.parametrize("declared", ["gbk", "gb2312"])
def test_a_chinese_page_in_gbk(tmp_path: Path, declared: str) -> None:
    page = (
        f"<html><head><meta charset={declared}><title>办事指南</title></head><body><ul><li>身份证</li></ul>"
    )
    document = read_document(write(tmp_path / "a.htm", page, "gbk"))
    assert (document.title, document.text) == ("办事指南", "身份证")


def test_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.md.gz"
    path.write_bytes(gzip.compress("# 费用".encode()))
    assert read_document(path).elements[0].tag == "h1"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BufferedReader(io.BytesIO(b"<html><p>It costs &pound;5."))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    assert read_document(Path("-")).text == "It costs £5."


def test_folders(tmp_path: Path) -> None:
    for name in (
        "b.txt",
        "a/z.html",
        "a/c/d.md",
        ".hidden.txt",
        ".git/e.txt",
        "picture.gif",
        "a.txt.gz",
        "f.MD",
    ):
        write(tmp_path / name, "text")
    folder = str(tmp_path)
    names = [path.removeprefix(folder).replace("\\", "/") for path, *_ in read_sources([tmp_path])]
    assert names == ["/a/c/d.md", "/a/z.html", "/a.txt.gz", "/b.txt", "/f.MD"]
    # Each file once, where it is named first; a file that is named may have any ending.
    several = [tmp_path / "b.txt", tmp_path, tmp_path / "a" / ".." / "b.txt", tmp_path / "picture.gif"]
    once = [path for path, *_ in read_sources(several)]
    assert once[0] == str(tmp_path / "b.txt")
    assert once[-1] == str(tmp_path / "picture.gif")
    assert len(once) == 6


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt: cannot be opened: no such file"):
        read_document(tmp_path / "none.txt")
    with pytest.raises(InputError, match=r"none\.txt: cannot be opened: no such file"):
        list(read_sources([tmp_path / "none.txt"]))
    with pytest.raises(InputError, match=r"is a folder"):
        read_document(tmp_path)
    with pytest.raises(InputError, match=r"has nothing in it to answer from: \.txt, "):
        list(read_sources([tmp_path]))
    for content in ("", " \n\t"):
        with pytest.raises(InputError, match=r"a\.txt: is empty"):
            read_document(write(tmp_path / "a.txt", content))
    with pytest.raises(InputError, match=r"a\.html: has no text in it"):
        read_document(write(tmp_path / "a.html", "<p></p>"))
    with pytest.raises(InputError, match=r"a\.txt: is not text but binary data"):
        read_document(write(tmp_path / "a.txt", "a\0b"))
    with pytest.raises(InputError, match=r"a\.docx: cannot be read as a Word file: File is not a zip file"):
        read_document(write(tmp_path / "a.docx", "PK\x03\x04"))


PAGE = """<title>Lakes</title><nav><table><tr><td>a<td>b</table></nav><h2>Deep ones</h2>
<table><caption>By depth</caption>
<tr><th rowspan=2>Name<th colspan=2>Size<tr><th>Area<th>Depth<sup class=reference>[1]</sup>
<tr><td>Holm<td>580<td>310<tr><td rowspan=2>Senn<td>146<td>410<tr><td>147<td>411
<tr><td colspan=3>Smaller lakes<tr><td>Petra<td>9<td>12</table>
<table><tr><td><table><tr><th>Town<th>People<tr><td>Skeld<td>812</table></table>
<table role=presentation><tr><td>x<td>y</table>"""


def test_web_pages(tmp_path: Path) -> None:
    path = tmp_path / "lakes.html"
    path.write_text(PAGE, encoding="utf-8")
    menu, lakes, towns = [found.table for found in read_file(path).tables]
    assert menu.headers == ("a", "b")
    assert (lakes.caption, lakes.id) == ("Lakes: By depth", f"{path}#2")
    assert lakes.headers == ("Name", "Size Area", "Size Depth")
    assert lakes.rows[:3] == (("Holm", "580", "310"), ("Senn", "146", "410"), ("Senn", "147", "411"))
    assert lakes.rows[3] == ("Smaller lakes", "", "")
    assert (towns.caption, towns.headers, towns.rows) == (
        "Lakes: Deep ones",
        ("Town", "People"),
        (("Skeld", "812"),),
    )


def test_a_page_without_tables(tmp_path: Path) -> None:
    path = tmp_path / "plain.html"
    path.write_text("<html><p>No tables.", encoding="utf-8")
    assert read_file(path).tables == ()
    # Under the ending of a workbook it has to have one.
    path = path.rename(tmp_path / "plain.xlsx")
    with pytest.raises(InputError, match="has no tables in it"):
        read_file(path)


def test_markdown(read: Read) -> None:
    found = read(
        "fees.md",
        "# Fees\n\n| Item | Price |\n|:---|--:|\n| **Tea** \\| hot | 3 |\n| [Milk](http://example.org) | `4` |\n\n"
        "```\n| a | b |\n|---|---|\n```\n",
    )
    assert found.table.caption == "Fees"
    assert (found.table.headers, found.table.rows) == (("Item", "Price"), (("Tea | hot", "3"), ("Milk", "4")))


def test_several_tables_of_a_file_have_ids_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "two.md"
    path.write_text("## A\n|x|y|\n|-|-|\n|1|2|\n\n## B\n|x|y|\n|-|-|\n|3|4|\n", encoding="utf-8")
    assert [(t.table.id, t.table.caption) for t in read_file(path).tables] == [
        (f"{path}#1", "A"),
        (f"{path}#2", "B"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b" \n\n", "is empty"),
        ("a.csv", b",,\n,,\n", "has no cells in it"),
        ("a.csv", b"\x00\x01\x02", "is not text but binary data"),
        ("a.csv", b"%PDF-1.4", "is a PDF"),
        ("a.csv", b"PK\x03\x04word/", "is a zip file, not CSV: unpack it"),
        ("a.xls", b"\xd0\xcf\x11\xe0", "cannot be read as a spreadsheet"),
        ("a.csv", b"a,b\n" + b"1,2\n" * 5000 + b"3," * 20_000, "has a row of 20,001 cells where most have 2"),
    ],
)
def test_what_is_no_table(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=sentence) as raised:
        read_file(path)
    assert str(raised.value).startswith(str(path))


def test_html_under_excels_ending(read: Read) -> None:
    found = read("export.xlsx", "<table><tr><th>a<th>b<tr><td>1<td>2</table>")
    assert found.table.headers == ("a", "b")


def test_folders_of_tables_in_order_without_hidden_files(tmp_path: Path) -> None:
    for name in ("b.csv", "a.tsv", ".hidden.csv", "~$open.xlsx"):
        (tmp_path / name).write_text("x,y\n1,2\n", encoding="utf-8")
    assert [Path(path).name for path, *_ in read_sources([tmp_path, tmp_path / "b.csv"])] == [
        "a.tsv",
        "b.csv",
    ]


def test_kinds() -> None:
    def kind_of(data: bytes, path: str) -> str:
        return kinds.kind_of(data, path).name

    assert kind_of(b"a,b\n1,2\n", "x.csv") == "CSV"
    assert kind_of(b"a,b\n1,2\n", "x.txt") == "plain text"
    assert kind_of(b"a,b\n1,2\n", "-") == "CSV"
    assert kind_of(b"a\tb\n", "X.TSV.gz") == "TSV"
    assert kind_of(b"<html>", "x") == "HTML"
    assert kind_of(b"<table><tr>", "x") == "HTML"
    assert kind_of(b"# x", "x.md.gz") == "Markdown"
    assert kind_of(b"a | b\n--|--\n1 | 2", "x") == "Markdown"
    assert kind_of(b"%PDF-1.4", "x.html") == "PDF"
    assert kind_of(b"PK\x03\x04 xl/workbook.xml", "x.txt") == "Excel"
    assert kind_of("caf\xe9, th\xe9".encode("latin-1") * 2, "x") == "plain text"
    assert kind_of(b"\xd0\xcf\x11\xe0", "x.xls") == "old Excel"
    assert kind_of(b"PK\x03\x04 word/document.xml", "x") == "Word"
    assert kind_of(b"PK\x03\x04 word/document.xml xl/workbook.xml", "x.zip") == "zip"
    assert kind_of(b"PK\x03\x04 a.txt", "x") == "zip"
    assert kind_of(b"{\\rtf1", "x.doc") == "RTF"
    with pytest.raises(InputError, match=r"x\.doc: is an old Office file: save it as \.docx"):
        kind_of(b"\xd0\xcf\x11\xe0", "x.doc")
    with pytest.raises(InputError, match=r"x\.docx: has a password, or is of an old version"):
        kind_of(b"\xd0\xcf\x11\xe0", "x.docx")
    with pytest.raises(InputError, match=r"x\.rtf: is not what its name says: RTF files begin otherwise"):
        kind_of(b"Dear Ann", "x.rtf")


@pytest.mark.parametrize(
    ("name", "content", "parser"),
    [
        ("a.html", PAGE, "caveat.sources.html.LexborHTMLParser"),
        ("a.md", "# Fees\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "caveat.sources.markdown._Reader"),
    ],
)
def test_a_file_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, parser: str
) -> None:
    module, _, what = parser.rpartition(".")
    parse = getattr(import_module(module), what)
    parsed: list[object] = []

    def counted(text: object, *others: object) -> object:
        parsed.append(text)
        return parse(text, *others)

    monkeypatch.setattr(parser, counted)
    document, tables, *_ = read_file(write(tmp_path / name, content))
    assert document is not None
    assert tables
    assert len(parsed) == 1


def test_a_table_that_is_none_does_not_keep_the_others_from_being_read(tmp_path: Path) -> None:
    wide = "<tr>" + "<td>x" * 900
    page = f"<table>{'<tr><td>a<td>b' * 50}{wide}</table><table><tr><th>a<th>b<tr><td>1<td>2</table>"
    path = write(tmp_path / "a.html", page)
    assert [table.table.id for table in read_file(path).tables] == [f"{path}#2"]

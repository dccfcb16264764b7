"""Files that were made to hang a reader or to fill the memory, at sizes that end soon: each is read, or refused."""

from __future__ import annotations

import gzip
import io
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from caveat.core.errors import CaveatError, InputError
from caveat.core.files import read_bytes, read_lines
from caveat.core.limits import limits
from caveat.sources.grid import column_names
from caveat.sources.html_tags import tamed
from caveat.sources.pdf import refuse_bombs
from caveat.sources.read import parse_file, read_file


def workbook(change: Callable[[object], None]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    change(book.active)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_a_stray_cell_in_the_last_column_takes_no_more_room_than_its_own() -> None:
    def fill(sheet: object) -> None:
        for row in range(1, 301):
            sheet.cell(row, 1, f"Town {row}")
            sheet.cell(row, 2, row)
        sheet.cell(7, 16_384, "x")

    (read,) = parse_file(workbook(fill), "a.xlsx").tables
    assert len(read.table.headers) == 3
    assert read.table.rows[6] == ("Town 7", "7", "x")


def test_more_cells_than_the_limit_are_refused() -> None:
    data = workbook(lambda sheet: [sheet.cell(row, 1000, "x") for row in range(1, 50)])
    with limits(cells=10_000), pytest.raises(InputError, match=r"a\.xlsx: has more than 10,000 cells, empty"):
        parse_file(data, "a.xlsx")
    with limits(cells=100), pytest.raises(InputError, match="has a table of more than 100 cells"):
        parse_file(b"a,b\n" * 100, "a.csv")


def test_merged_cells_reach_no_further_than_the_table() -> None:
    def fill(sheet: object) -> None:
        for row in (["Team", "Score", None], [None, "Home", "Away"], ["Arvo", 1, 2], ["Senn", 3, 4]):
            sheet.append(row)
        sheet.merge_cells("B1:XFD1")

    (read,) = parse_file(workbook(fill), "a.xlsx").tables
    assert read.table.headers == ("Team", "Score Home", "Score Away")


def test_a_damaged_workbook_is_refused_with_a_sentence() -> None:
    """Whatever the libraries below raise: one border turns it into an error of ours."""
    sound = workbook(lambda sheet: [sheet.append([f"Town {row}", row]) for row in range(20)])
    chance = random.Random(0)
    for _ in range(60):
        with ZipFile(io.BytesIO(sound)) as archive:
            parts = {name: bytearray(archive.read(name)) for name in archive.namelist()}
        part = parts[chance.choice(sorted(parts))]
        for _ in range(3):
            part[chance.randrange(len(part))] = chance.randrange(256)
        out = io.BytesIO()
        with ZipFile(out, "w", ZIP_DEFLATED) as archive:
            for name, content in parts.items():
                archive.writestr(name, bytes(content))
        try:
            parse_file(out.getvalue(), "a.xlsx")
        except CaveatError as error:
            assert "\n" not in str(error)  # noqa: PT017 most of them can be read


def test_whatever_a_parser_raises_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("caveat.sources.plain_text.parse_plain_text", broken)
    with pytest.raises(
        InputError, match=r"a\.txt: is damaged, or not what its name says \(RecursionError: too deep"
    ):
        parse_file(b"text", "a.txt")


def test_bombs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"word " * 500_000))
    with limits(source_bytes=1 << 20):
        with pytest.raises(
            InputError, match=r"holds more than 1,048,576 bytes, uncompressed \(the limit `source_bytes`"
        ):
            read_file(path)
        out = io.BytesIO()
        with ZipFile(out, "w", ZIP_DEFLATED) as archive:
            archive.writestr("xl/workbook.xml", b" " * (2 << 20))
        with pytest.raises(InputError, match="holds more than 1,048,576 bytes"):
            parse_file(out.getvalue(), "a.xlsx")
    with limits(data_bytes=1 << 20):
        with pytest.raises(InputError, match="the limit `data_bytes`"):
            read_bytes(path)
        with pytest.raises(InputError, match="has a line of more than 1,048,576 bytes"):
            list(read_lines(path))


def test_a_file_of_nothing_that_says_to_be_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sparse.txt"
    with path.open("wb") as out:
        out.truncate(1 << 30)
    with limits(source_bytes=1 << 20, data_bytes=1 << 20):
        with pytest.raises(InputError, match=r"sparse\.txt: holds more than 1,048,576 bytes"):
            read_file(path)
        with pytest.raises(InputError, match="the limit `data_bytes`"):
            read_bytes(path)


def test_tables_of_a_page_have_a_limit_on_cells() -> None:
    page = "<p>It costs 5.</p><table>" + "<tr><td>1<td>2" * 600 + "</table>"
    with limits(cells=1000):
        contents = parse_file(page.encode(), "a.html")
    assert contents.document is not None
    assert contents.document.text.startswith("It costs 5.")
    assert contents.tables == ()
    assert len(parse_file(page.encode(), "a.html").tables) == 1


def test_a_great_many_blanks_are_read_as_they_are() -> None:
    document = parse_file(b"It costs" + b" " * (5 << 20) + b"5.", "a.txt").document
    assert document is not None
    assert (len(document.text), len(document.elements)) == ((5 << 20) + 10, 1)


@pytest.mark.parametrize("filters", [1, 2])
def test_a_pdf_with_a_bomb_is_refused(filters: int) -> None:
    stream = b"0 " * 1_000_000
    for _ in range(filters):
        stream = zlib.compress(stream, 9)
    names = b"/FlateDecode " * filters
    head = b"%PDF-1.4\n1 0 obj\n<< /Length 1 /Filter [ " + names + b"] >>\n"
    data = head + b"stream\n" + stream + b"\nendstream\nendobj\n"
    refuse_bombs(data)
    with limits(stream_bytes=1 << 20):
        with pytest.raises(InputError, match="has a stream of more than 1,048,576 bytes, uncompressed"):
            refuse_bombs(data)
        refuse_bombs(data.replace(b"/Length", b"/Subtype /Image /Length"))


@pytest.mark.parametrize("tag", ["div", "ul", "blockquote", "b", "table"])
def test_elements_deep_inside_of_others_keep_their_text(tag: str) -> None:
    page = (
        "<p>It costs 5.</p>"
        + f"<{tag}><i>" * 2000
        + "In the depths."
        + f"</i></{tag}>" * 2000
        + "<p>Above.</p>"
    )
    short, remark = tamed(page)
    assert remark == "elements inside of more than 512 others were read as if beside them"
    assert short.count(f"<{tag}>") == 256
    contents = parse_file(page.encode(), "a.html")
    assert contents.document is not None
    assert [word in contents.document.text for word in ("costs 5", "In the depths", "Above")] == [True] * 3
    assert contents.remark == remark
    assert tamed("<div><p>a" * 300) == ("<div><p>a" * 300, "")


def test_an_element_of_many_attributes_keeps_its_text() -> None:
    page = "<p " + " ".join(f"a{number}=1" for number in range(2000)) + ">It costs 5.</p>"
    contents = parse_file(page.encode(), "a.html")
    assert contents.document is not None
    assert contents.document.text == "It costs 5."
    assert "more than 500 attributes" in contents.remark
    picture = f"<img src='data:{'A' * 9000}'>"
    assert tamed(picture) == (picture, "")


def test_columns_of_one_name_are_counted_on() -> None:
    assert column_names(["a", "a", "a (2)", "a"]) == ("a", "a (3)", "a (2)", "a (4)")
    assert column_names(["a"] * 20_000)[-1] == "a (20000)"

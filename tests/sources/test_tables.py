from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.errors import CaveatError, InputError
from caveat.sources.delimited import is_delimited, read_delimited
from caveat.sources.tables import ReadTable, is_table_file, read_table_file, read_tables, tabular

Read = Callable[..., ReadTable]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a file and read the one table in it."""

    def read_one(name: str, content: str | bytes, encoding: str = "utf-8") -> ReadTable:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        (table,) = read_table_file(path)
        return table

    return read_one


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_what_parts_the_cells_is_told_by_the_content(read: Read, delimiter: str) -> None:
    lines = [
        ["Bank", "Head office", "Price"],
        ["Union, Credit", "Lindholm", "3.50"],
        ["Valley", "Skeld", "4"],
    ]
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows(lines)
    found = read("banks.csv", stream.getvalue())
    assert found.table.headers == ("Bank", "Head office", "Price")
    assert found.table.rows == (("Union, Credit", "Lindholm", "3.50"), ("Valley", "Skeld", "4"))
    assert found.table.caption == "banks"
    assert not found.without_header
    assert found.ragged == 0


def test_a_decimal_comma_parts_no_cells(read: Read) -> None:
    assert read("prices.csv", "item;price\ntea;3,5\nmilk;4,25\n").table.rows == (
        ("tea", "3,5"),
        ("milk", "4,25"),
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_encodings(read: Read, encoding: str) -> None:
    found = read("cities.csv", "城市,人口\n青石镇,3.2万\n柳河镇,5.6万\n", encoding)
    assert found.table.headers == ("城市", "人口")
    assert found.table.rows[1] == ("柳河镇", "5.6万")


def test_gzip_and_excels_first_line(read: Read) -> None:
    found = read("plain.csv.gz", gzip.compress(b"sep=;\r\na;b\r\n1;2\r\n"))
    assert (found.table.headers, found.table.rows, found.table.caption) == (
        ("a", "b"),
        (("1", "2"),),
        "plain",
    )


def test_quotation_marks(read: Read) -> None:
    found = read("quotes.csv", 'name,note\n"Holm, Little","two\nlines"\n"say ""yes""",5" pipe\n')
    assert found.table.rows == (("Holm, Little", "two lines"), ('say "yes"', '5" pipe'))


def test_a_quotation_mark_that_nobody_closed(read: Read) -> None:
    found = read("open.tsv", 'a\tb\n"open\t1\n' + "c\t2\n" * 300)
    assert found.table.rows[:2] == (('"open', "1"), ("c", "2"))
    assert len(found.table.rows) == 301


def test_a_table_without_header(read: Read) -> None:
    found = read("people.csv", "Ann,31\nBob,42\nCleo,27\n")
    assert found.without_header
    assert found.table.headers == ("column 1", "column 2")
    assert len(found.table.rows) == 3


def test_years_may_be_names_of_columns(read: Read) -> None:
    assert read("k.csv", "Country,2001,2002\nArvo,10,20\nSenn,30,40\n").table.headers == (
        "Country",
        "2001",
        "2002",
    )


def test_a_number_like_a_year_is_no_name_in_a_row_of_data(read: Read) -> None:
    assert read("a.csv", "Lindholm,1200,1890\nArvo,340,1902\nRauma,5100,1755\n").without_header


def test_texts_alone_have_a_header_unless_it_recurs(read: Read) -> None:
    assert not read("a.csv", "Name,Town\nAnn,Skeld\nBob,Carrow\n").without_header
    assert read("b.csv", "Ann,Skeld\nBob,Skeld\nCleo,Carrow\n").without_header


def test_ragged_rows_are_padded_and_counted(read: Read) -> None:
    found = read("ragged.csv", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n")
    assert found.table.headers == ("a", "b", "c", "column 4")
    assert found.table.rows == (("1", "2", "3", ""), ("4", "5", "", ""), ("6", "7", "8", "9"))
    assert found.ragged == 2


def test_titles_blank_rows_and_empty_columns(read: Read) -> None:
    found = read("report.csv", "Sales 2020,,\n\nitem,price,\ntea,3,\n,,\nmilk,4,\n")
    assert found.table.caption == "report: Sales 2020"
    assert (found.table.headers, found.table.rows) == (("item", "price"), (("tea", "3"), ("milk", "4")))


def test_the_same_name_twice(read: Read) -> None:
    assert read("twice.csv", "team,score,score\nArvo,1,2\nSenn,3,4\n").table.headers == (
        "team",
        "score",
        "score (2)",
    )


def test_a_header_alone_and_one_column(read: Read) -> None:
    assert read("head.csv", "a,b\n").table.rows == ()
    assert read("one.csv", "town\nSkeld\nCarrow\n").table.rows == (("Skeld",), ("Carrow",))


def test_200_000_rows(read: Read) -> None:
    lines = "".join(f"{number},name {number},Italy\n" for number in range(200_000))
    found = read("large.csv", f"id,name,country\n{lines}")
    assert len(found.table.rows) == 200_000
    # Each text is kept once.
    assert found.table.rows[0][2] is found.table.rows[-1][2]


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
    menu, lakes, towns = [found.table for found in read_table_file(path)]
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
    path.write_text("<p>No tables.", encoding="utf-8")
    assert read_table_file(path) == ()
    with pytest.raises(InputError, match="has no tables in it"):
        list(read_tables([path]))
    assert list(read_tables([tmp_path])) == []


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
    assert [(t.table.id, t.table.caption) for t in read_table_file(path)] == [
        (f"{path}#1", "A"),
        (f"{path}#2", "B"),
    ]


class TestExcel:
    """Workbooks, written with openpyxl itself."""

    @pytest.fixture
    def openpyxl(self) -> object:
        return pytest.importorskip("openpyxl", reason="openpyxl is not installed")

    def test_sheets_merged_cells_percentages_and_dates(self, openpyxl: object, tmp_path: Path) -> None:
        from openpyxl import Workbook

        book = Workbook()
        first = book.active
        first.append(["Team", "Score", None, "Share"])
        first.append([None, "Home", "Away", None])
        for area in ("A1:A2", "B1:C1", "D1:D2"):
            first.merge_cells(area)
        first.append(["Arvo", 1, 2.5, 0.125])
        first.append(["Senn", 3, 4.0, 0.5])
        for row in ("D3", "D4"):
            first[row].number_format = "0.0%"
        second = book.create_sheet("Lakes")
        second.append(["Our lakes"])
        second.append(["Name", "Opened", "Depth"])
        second.append(["Holm", datetime(2020, 1, 2), "=1+2"])
        second.append(["Senn", datetime(2021, 3, 4), None])
        book.create_sheet("Empty")
        path = tmp_path / "book.xlsx"
        book.save(path)
        teams, lakes = [found.table for found in read_table_file(path)]
        assert (teams.id, teams.caption) == (f"{path}#Sheet", "book")
        assert teams.headers == ("Team", "Score Home", "Score Away", "Share")
        assert teams.rows == (("Arvo", "1", "2.5", "12.5%"), ("Senn", "3", "4", "50%"))
        # A formula that no spreadsheet has computed yet has no value.
        assert (lakes.caption, lakes.headers) == ("book: Lakes: Our lakes", ("Name", "Opened", "Depth"))
        assert lakes.rows == (("Holm", "2020-01-02", ""), ("Senn", "2021-03-04", ""))

    def test_an_empty_workbook(self, openpyxl: object, tmp_path: Path) -> None:
        from openpyxl import Workbook

        path = tmp_path / "empty.xlsx"
        Workbook().save(path)
        with pytest.raises(InputError, match="has no cells in it"):
            read_table_file(path)

    def test_a_broken_workbook(self, openpyxl: object, tmp_path: Path) -> None:
        path = tmp_path / "broken.xlsx"
        path.write_bytes(b"PK\x03\x04 xl/workbook.xml and nothing else")
        with pytest.raises(InputError, match="cannot be read as an Excel file"):
            read_table_file(path)


def test_without_openpyxl_the_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK\x03\x04 xl/workbook.xml")
    with pytest.raises(CaveatError, match=r'pip install "caveat\[tables\]"'):
        read_table_file(path)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b" \n\n", "is empty"),
        ("a.csv", b",,\n,,\n", "has no cells in it"),
        ("a.csv", b"\x00\x01\x02", "is not text but binary data"),
        ("a.csv", b"%PDF-1.4", "is a PDF"),
        ("a.csv", b"PK\x03\x04word/", "is a zip file, but not one that Excel wrote"),
        ("a.xls", b"\xd0\xcf\x11\xe0", "is an old Excel file, or one with a password"),
        ("a.csv", b"a,b\n" + b"1,2\n" * 5000 + b"3," * 20_000, "has a row of 20,001 cells where most have 2"),
    ],
)
def test_what_is_no_table(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=sentence) as raised:
        read_table_file(path)
    assert str(raised.value).startswith(str(path))


def test_html_under_excels_ending(read: Read) -> None:
    found = read("export.xlsx", "<table><tr><th>a<th>b<tr><td>1<td>2</table>")
    assert found.table.headers == ("a", "b")


def test_folders_in_order_without_hidden_files(tmp_path: Path) -> None:
    for name in ("b.csv", "a.tsv", ".hidden.csv", "~$open.xlsx", "notes.txt"):
        (tmp_path / name).write_text("x,y\n1,2\n", encoding="utf-8")
    found = [Path(path).name for path, _ in read_tables([tmp_path, tmp_path / "b.csv"])]
    assert found == ["a.tsv", "b.csv"]
    with pytest.raises(InputError, match="is a folder"):
        read_table_file(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Town,People\nArvo,340\n", True),
        ("Town;People\nArvo;340\n", True),
        ("Town\tPeople\nArvo\t340\nRauma\n", False),
        ("Town, People\nArvo, 340\nRauma, 5100\n", True),
        ("sep=;\nTown;People\n", True),
        ("Town,People\nArvo,340\nRauma,5100,1755\nSkeld,7\n", True),
        ("Town\nArvo\nRauma\n", False),
        ("Town,People\n", False),
        ("Dear Ann,\nwe came, we saw.\n", False),
        ("We met Ann, Bob and Cleo.\nThey sat, ate and left.\n", False),
        ("First, we wait\nThen, we go\n", False),
        ("他来了,我走了。\n天黑了,灯亮了。\n", False),
        ('Name,Note\nAnn,"one\ntwo"\nBob,three\n', True),
        ("", False),
    ],
)
def test_tables_are_told_from_prose(text: str, expected: bool) -> None:
    assert is_delimited(text) is expected


def test_how_much_of_a_file_tables_are() -> None:
    assert tabular(b"a,b\n1,2\n", "x.csv") == "wholly"
    assert tabular(b"a,b\n1,2\n", "x.txt") == "no"
    assert tabular(b"a,b\n1,2\n", "-") == "wholly"
    assert tabular(b"<html>", "x") == "partly"
    assert tabular(b"# x", "x.md.gz") == "partly"
    assert tabular(b"PK\x03\x04 xl/workbook.xml", "x.txt") == "wholly"
    assert tabular(b"\xd0\xcf\x11\xe0", "x.xls") == "wholly"
    assert tabular(b"\xd0\xcf\x11\xe0", "x.doc") == "no"
    assert tabular("caf\xe9, th\xe9".encode("latin-1") * 2, "x") == "no"


def test_which_files_are_nothing_but_tables() -> None:
    assert is_table_file("a.csv")
    assert is_table_file("A.XLSX")
    assert is_table_file("a.tsv.gz")
    assert not is_table_file("a.html")
    assert not is_table_file("a.txt")


_CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), max_size=8).map(str.strip)


@given(
    st.lists(st.lists(_CELLS, min_size=3, max_size=3), min_size=2, max_size=6).filter(
        lambda rows: all(rows[0])
    ),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_what_the_csv_module_writes_is_read(rows: list[list[str]], delimiter: str) -> None:
    stream = io.StringIO()
    stream.write(f"sep={delimiter}\n")
    csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    assert read_delimited(stream.getvalue()) == [[" ".join(cell.split("\n")) for cell in row] for row in rows]

"""Excel workbooks."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

import pytest

from caveat.core.errors import CaveatError, InputError
from caveat.sources.grid import ReadTable
from caveat.sources.read import parse_file, read_file

Read = Callable[..., ReadTable]


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
        teams, lakes = [found.table for found in read_file(path).tables]
        assert (teams.id, teams.caption) == (f"{path}#Sheet", "book")
        assert teams.headers == ("Team", "Score Home", "Score Away", "Share")
        assert teams.rows == (("Arvo", "1", "2.5", "12.5%"), ("Senn", "3", "4", "50%"))
        # A formula that no spreadsheet has computed yet has no value.
        assert (lakes.caption, lakes.headers) == ("book: Lakes: Our lakes", ("Name", "Opened", "Depth"))
        assert lakes.rows == (("Holm", "2020-01-02", ""), ("Senn", "2021-03-04", ""))

    def test_several_tables_on_a_sheet_and_what_is_hidden(self, openpyxl: object, tmp_path: Path) -> None:
        from openpyxl import Workbook

        book = Workbook()
        sheet = book.active
        for row in (
            ["Boats", None, None, None, None, None],
            ["Boat", "Seats", None, "Lake", "Depth"],
            ["Swift", 1, None, "Holm", 3],
            ["Heron", 8, None, "Senn", 4.5],
            [],
            ["Crew", "Fee"],
            ["Junior", 6],
            ["Senior", 12],
            [],
            ["Guest", 20],
        ):
            sheet.append(row)
        sheet.row_dimensions[8].hidden = True
        sheet.column_dimensions["D"].hidden = True
        book.create_sheet("Old").append(["a", "b"])
        book["Old"].sheet_state = "hidden"
        path = tmp_path / "club.xlsx"
        book.save(path)
        contents = read_file(path)
        boats, lakes, fees, _ = [found.table for found in contents.tables]
        assert (boats.headers, boats.rows) == (("Boat", "Seats"), (("Swift", "1"), ("Heron", "8")))
        assert (lakes.id, lakes.headers) == (f"{path}#Sheet 2", ("Lake", "Depth"))
        # A blank row alone parts no table.
        assert fees.rows == (("Junior", "6"), ("Senior", "12"), ("Guest", "20"))
        assert contents.remark == (
            "1 row and 1 column of the sheet Sheet hidden, and read all the same; "
            "the sheet Old is hidden, and read all the same"
        )

    def test_an_empty_workbook(self, openpyxl: object, tmp_path: Path) -> None:
        from openpyxl import Workbook

        path = tmp_path / "empty.xlsx"
        Workbook().save(path)
        with pytest.raises(InputError, match="has no cells in it"):
            read_file(path)

    def test_a_broken_workbook(self, openpyxl: object, tmp_path: Path) -> None:
        path = tmp_path / "broken.xlsx"
        path.write_bytes(b"PK\x03\x04 xl/workbook.xml and nothing else")
        with pytest.raises(InputError, match="cannot be read as a spreadsheet"):
            read_file(path)


def test_an_old_workbook() -> None:
    data = (Path(__file__).parents[1] / "fuzz" / "seeds" / "book.xls").read_bytes()
    (found,) = parse_file(data, "book.xls").tables
    assert found.table.headers == ("Boat", "Seats", "Built")
    assert found.table.rows == (("Swift", "1", "2020-01-02"), ("Heron", "8", ""), ("Heron", "9", ""))


NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
)


def test_an_open_document_sheet() -> None:
    """With a million empty cells behind its own, as programs write them."""

    def cell(text: str) -> str:
        return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'

    rows = "".join(
        f"<table:table-row>{cell(boat)}{cell(seats)}"
        '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
        for boat, seats in (("Boat", "Seats"), ("Swift", "1"), ("Heron", "8"))
    )
    rows += (
        '<table:table-row table:number-rows-repeated="1048570">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    )
    sheet = f'<office:spreadsheet><table:table table:name="Boats">{rows}</table:table></office:spreadsheet>'
    content = (
        f"<office:document-content {NAMESPACES}><office:body>{sheet}</office:body></office:document-content>"
    )
    out = io.BytesIO()
    with ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", content)
    (found,) = parse_file(out.getvalue(), "boats.ods").tables
    assert found.table.caption == "boats: Boats"
    assert found.table.rows == (("Swift", "1"), ("Heron", "8"))


def test_without_calamine_the_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK\x03\x04 xl/workbook.xml")
    with pytest.raises(CaveatError, match="pip install python-calamine"):
        read_file(path)

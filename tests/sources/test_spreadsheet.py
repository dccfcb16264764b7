"""Excel workbooks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from caveat.core.errors import CaveatError, InputError
from caveat.sources.grid import ReadTable
from caveat.sources.read import read_file

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


def test_without_calamine_the_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK\x03\x04 xl/workbook.xml")
    with pytest.raises(CaveatError, match="pip install python-calamine"):
        read_file(path)

"""Excel workbooks: each sheet's cells as they are shown, merged ones filled. Runs in the process of the parsers."""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

import msgspec

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over

__all__ = ["Sheet", "read_workbook"]

# Unsigned, four bytes: no limit on cells is near what that can count.
_COUNTED = "I"

_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]{0,100}?ref=\"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})\"")
_LONGEST_MARK = 200
_BLOCK = 1 << 20
_MOST_MERGED = 100_000
_ERRORS = frozenset(("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!"))


class Sheet(msgspec.Struct, frozen=True):
    """The name of a sheet and its rows, each text once: columns say the same again and again."""

    title: str
    width: int
    texts: list[str]
    # For each cell, row by row, the number of its text.
    cells: bytes

    @classmethod
    def of(cls, title: str, rows: list[list[str]]) -> Sheet:
        """Rows of one width, with at least one cell."""
        numbers: dict[str, int] = {}
        cells = array(_COUNTED, (numbers.setdefault(text, len(numbers)) for row in rows for text in row))
        return cls(title, len(rows[0]), list(numbers), cells.tobytes())

    def rows(self) -> list[list[str]]:
        """The cells, row by row."""
        numbers = array(_COUNTED)
        numbers.frombytes(self.cells)
        cells = [self.texts[number] for number in numbers]
        return [cells[start : start + self.width] for start in range(0, len(cells), self.width)]


def read_workbook(data: bytes) -> list[Sheet]:
    """The sheets that have cells, in the workbook's order; of a formula the value that Excel last computed."""
    from warnings import catch_warnings, simplefilter

    import openpyxl

    try:
        with catch_warnings(), ZipFile(io.BytesIO(data)) as archive:
            _refuse_bomb(archive)
            # About styles and extensions that are not read here anyway.
            simplefilter("ignore")
            # Read only: the other way keeps an object for every cell, a gigabyte for 200,000 rows.
            workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            try:
                places = _places(archive)
                room = _Room()
                return [
                    Sheet.of(sheet.title, rows)
                    for sheet in workbook.worksheets
                    if (rows := _rows(sheet, _merged(archive, places.get(sheet.title)), room))
                ]
            finally:
                workbook.close()
    except (BadZipFile, KeyError, ValueError, OSError, ElementTree.ParseError, EOFError) as error:
        raise InputError(f"cannot be read as an Excel file: {error}") from error


class _Room:
    """The cells that a file may still have."""

    def __init__(self) -> None:
        self._left = current_limits().cells

    def take(self, cells: int) -> None:
        self._left -= cells
        if self._left < 0:
            raise over(
                "cells", f"has more than {current_limits().cells:,} cells, empty ones between them counted"
            )


def _refuse_bomb(archive: ZipFile) -> None:
    """No file in an archive gives more bytes than the archive says."""
    most = current_limits().source_bytes
    if sum(file.file_size for file in archive.infolist()) > most:
        raise over("source_bytes", f"holds more than {most:,} bytes, uncompressed")


def _rows(sheet: Any, merged: list[tuple[int, int, int, int]], room: _Room) -> list[list[str]]:
    # The size that a file states may be wrong.
    sheet.reset_dimensions()
    known: dict[str, str] = {}
    rows: list[list[str]] = []
    for cells in sheet.iter_rows():
        room.take(len(cells) or 1)
        row = [known.setdefault(text, text) for text in map(_text, cells)]
        while row and not row[-1]:
            row.pop()
        rows.append(row)
    widest = max(map(len, rows), default=0)
    for top, left, bottom, right in merged:
        if top >= len(rows):
            continue
        text = rows[top][left] if left < len(rows[top]) else ""
        whole = left == 0 and top == bottom and right + 1 >= widest
        if not text or whole:  # a title over the table, or a heading between its rows, is one cell
            continue
        right = min(right, widest - 1)
        for row in rows[top : bottom + 1]:
            room.take(right + 1 - left)
            row += [""] * (right + 1 - len(row))
            row[left : right + 1] = [text] * (right + 1 - left)
    return _without_gaps(rows)


def _without_gaps(rows: list[list[str]]) -> list[list[str]]:
    """The rows without the columns that are empty in all: a cell far to the right may have thousands before it."""
    used = sorted({column for row in rows for column, text in enumerate(row) if text})
    width = len(used)
    if not width:
        return []
    if used[-1] + 1 == width:
        return [row + [""] * (width - len(row)) for row in rows]
    return [[row[column] if column < len(row) else "" for column in used] for row in rows]


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        return "" if value in _ERRORS else " ".join(value.split())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        if "%" in (cell.number_format or ""):
            return f"{100 * value:.10g}%"
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        seconds = int(value.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return str(value)


def _places(archive: ZipFile) -> dict[str, str]:
    """Where in the file each sheet stands, by its name."""
    try:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    except KeyError:
        return {}
    targets = {relation.get("Id"): relation.get("Target") or "" for relation in relations}
    places: dict[str, str] = {}
    for sheet in book.iter():
        target = targets.get(sheet.get(_RELATION)) if sheet.tag.endswith("}sheet") else None
        if target:
            places[sheet.get("name") or ""] = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    return places


def _merged(archive: ZipFile, place: str | None) -> list[tuple[int, int, int, int]]:
    """The merged areas of a sheet: first row and column, last row and column, from 0.

    openpyxl tells them only where it reads a sheet whole; they stand at the sheet's end.
    """
    if place is None or place not in archive.namelist():
        return []
    areas: list[tuple[int, int, int, int]] = []
    for left, top, right, bottom in _marks(archive, place):
        areas.append((int(top) - 1, _column(left), int(bottom) - 1, _column(right)))
        if len(areas) == _MOST_MERGED:
            break
    return areas


def _marks(archive: ZipFile, place: str) -> Iterator[tuple[bytes, ...]]:
    rest = b""
    with archive.open(place) as stream:
        while block := stream.read(_BLOCK):
            text = rest + block
            end = 0
            for mark in _MERGED.finditer(text):
                end = mark.end()
                yield mark.groups()
            # A mark may go on in the next block; one that was found must not be found again.
            rest = text[max(end, len(text) - _LONGEST_MARK) :]


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number - 1

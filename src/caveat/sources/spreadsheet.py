"""Spreadsheets: each sheet's cells as they are shown, merged ones filled. Runs in the process of the parsers."""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple
from zipfile import ZipFile

import msgspec

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.sources.grid import tables_on
from caveat.sources.office_parts import opened, part, relations

# Unsigned, four bytes: no limit on cells is near what that can count.
_COUNTED = "I"
# Where a cell begins, its place, and the number of its style.
_MARK = re.compile(rb"<(?:\w{1,9}:)?(c|row|col)\s([^<>]{0,300})")
_HIDDEN = re.compile(rb"\bhidden=[\"'](?:1|true)[\"']")
_SPAN = re.compile(rb"\b(min|max)=[\"'](\d{1,5})[\"']")
_PLACE = re.compile(rb"\br=[\"']([A-Z]{0,3})(\d{1,7})[\"']")
_STYLE = re.compile(rb"\bs=[\"'](\d{1,6})[\"']")
_LONGEST_MARK = 320
_BLOCK = 1 << 20
_MOST_MERGED = 100_000
_BOOK = "xl/workbook.xml"
# "0%" and "0.00%", which every workbook has without saying so.
_BUILT_IN_PERCENT = frozenset((9, 10))
# Whole numbers beyond this are not exact in a spreadsheet either.
_EXACT = 1e15

Place = tuple[int, int]


class Sheet(msgspec.Struct, frozen=True):
    """The name of a sheet and the rows of a table on it, each text once: columns say the same again and again.

    The first table of a sheet says what of the sheet is hidden.
    """

    title: str
    width: int
    texts: list[str]
    # For each cell, row by row, the number of its text.
    cells: bytes
    remark: str = ""

    @classmethod
    def of(cls, title: str, rows: list[list[str]], remark: str = "") -> Sheet:
        """Rows of one width, with at least one cell."""
        numbers: dict[str, int] = {}
        cells = array(_COUNTED, (numbers.setdefault(text, len(numbers)) for row in rows for text in row))
        return cls(title, len(rows[0]), list(numbers), cells.tobytes(), remark)

    def rows(self) -> list[list[str]]:
        """The cells, row by row."""
        numbers = array(_COUNTED)
        numbers.frombytes(self.cells)
        cells = [self.texts[number] for number in numbers]
        return [cells[start : start + self.width] for start in range(0, len(cells), self.width)]


def read_spreadsheet(data: bytes) -> list[Sheet]:
    """The sheets that have cells, in their order; of a formula the value that was last computed."""
    import python_calamine

    looks = _looks_of(data)
    room = _Room()
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        unseen = {
            each.name
            for each in book.sheets_metadata
            if each.visible != python_calamine.SheetVisibleEnum.Visible
        }
        sheets: list[Sheet] = []
        for name in book.sheet_names:
            look = looks.get(name, _Look())
            rows = _rows(book.get_sheet_by_name(name), look.percent, room)
            hidden = _of_hidden(name, look, is_hidden=name in unseen)
            for number, part in enumerate(filter(None, map(_without_gaps, tables_on(rows)))):
                sheets.append(Sheet.of(name, part, "" if number else hidden))
        return sheets
    except python_calamine.PasswordError as error:
        raise InputError("needs a password: save it without one and ask again") from error
    except (python_calamine.CalamineError, ValueError, OSError) as error:
        raise InputError(f"cannot be read as a spreadsheet: {error}") from error


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


class _Look(NamedTuple):
    """How a sheet is shown: which cells in percent, how many rows and columns not at all."""

    percent: frozenset[Place] = frozenset()
    rows: int = 0
    columns: int = 0


def _of_hidden(name: str, look: _Look, *, is_hidden: bool) -> str:
    parts = [
        f"{count:,} {what}{'s' * (count > 1)}"
        for count, what in ((look.rows, "row"), (look.columns, "column"))
        if count
    ]
    if is_hidden:
        return f"the sheet {name} is hidden, and read all the same"
    return f"{' and '.join(parts)} of the sheet {name} hidden, and read all the same" if parts else ""


def _looks_of(data: bytes) -> dict[str, _Look]:
    """How each sheet of an Excel file is shown, which calamine does not tell.

    Also refuses a file whose cells are so far apart that a table of all between them would be too large: calamine
    makes one.
    """
    if not data.startswith(b"PK"):
        return {}
    with opened(data, "a spreadsheet") as archive:
        book = part(archive, _BOOK)
        if book is None:
            return {}
        places = {id: place for id, (_, place) in relations(archive, _BOOK).items()}
        styles = _percent_styles(archive)
        room = _Room()
        found: dict[str, _Look] = {}
        for sheet in book.iter("sheet"):
            place = places.get(sheet.get("r:id") or "")
            if place in archive.NameToInfo:
                found[sheet.get("name") or ""] = _cells_of(archive, place, styles, room)
        return found


def _percent_styles(archive: ZipFile) -> set[int]:
    root = part(archive, "xl/styles.xml")
    if root is None:
        return set()
    formats = {
        int(each.get("numFmtId") or 0)
        for each in root.iter("numFmt")
        if "%" in (each.get("formatCode") or "")
    }
    formats |= _BUILT_IN_PERCENT
    styles = root.find("cellXfs")
    return {
        number
        for number, style in enumerate(styles if styles is not None else ())
        if int(style.get("numFmtId") or 0) in formats
    }


def _cells_of(archive: ZipFile, place: str, styles: set[int], room: _Room) -> _Look:
    cells: set[Place] = set()
    rows = columns = hidden_rows = hidden_columns = 0
    for tag, attributes in _marks(archive, place):
        if tag != b"c":
            if _HIDDEN.search(attributes):
                span = {name: int(number) for name, number in _SPAN.findall(attributes)}
                hidden_rows += tag == b"row"
                hidden_columns += tag == b"col" and span.get(b"max", 0) - span.get(b"min", 0) + 1
            continue
        found = _PLACE.search(attributes)
        if found is None:
            continue
        row, column = int(found[2]), _column(found[1])
        rows, columns = max(rows, row), max(columns, column + 1)
        style = _STYLE.search(attributes)
        if style is not None and int(style[1]) in styles:
            cells.add((row - 1, column))
    room.take(rows * columns)
    return _Look(frozenset(cells), hidden_rows, hidden_columns)


def _marks(archive: ZipFile, place: str) -> Iterator[tuple[bytes, bytes]]:
    rest = b""
    with archive.open(place) as stream:
        while block := stream.read(_BLOCK):
            text = rest + block
            # What begins later may go on in the next block.
            last = max(0, len(text) - _LONGEST_MARK)
            yield from ((mark[1], mark[2]) for mark in _MARK.finditer(text) if mark.start() < last)
            rest = text[last:]
    yield from _MARK.findall(rest)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return max(number - 1, 0)


def _rows(sheet: Any, percent: frozenset[Place], room: _Room) -> list[list[str]]:
    known: dict[str, str] = {}
    rows: list[list[str]] = []
    for at, cells in enumerate(sheet.to_python(skip_empty_area=False)):
        room.take(len(cells) or 1)
        row = [known.setdefault(text, text) for text in _texts(cells, at, percent)]
        while row and not row[-1]:
            row.pop()
        rows.append(row)
    widest = max(map(len, rows), default=0)
    for (top, left), (bottom, right) in (sheet.merged_cell_ranges or [])[:_MOST_MERGED]:
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
    return rows


def _without_gaps(rows: list[list[str]]) -> list[list[str]]:
    """The rows without the columns that are empty in all: a cell far to the right may have thousands before it."""
    used = sorted({column for row in rows for column, text in enumerate(row) if text})
    width = len(used)
    if not width:
        return []
    if used[-1] + 1 == width:
        return [row + [""] * (width - len(row)) for row in rows]
    return [[row[column] if column < len(row) else "" for column in used] for row in rows]


def _texts(cells: Iterable[Any], row: int, percent: frozenset[Place]) -> Iterator[str]:
    for column, value in enumerate(cells):
        if isinstance(value, float) and percent and (row, column) in percent:
            yield f"{100 * value:.10g}%"
        else:
            yield _text(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) <= _EXACT else f"{value:.15g}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        seconds = int(value.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return str(value)

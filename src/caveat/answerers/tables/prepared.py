"""Where the words of a question stand in a table, found by scanning: an index of 200,000 rows is dearer than a look."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from caveat.answerers.tables.columns import Column, columns_of, key_column, total_rows
from caveat.answerers.tables.tokens import WORD, beginnings, fold, is_han, name_stems, stem, stems_of
from caveat.core.records import Table
from caveat.sources.grid import is_invented

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The number of words that are remembered: one question looks for each of its own several times.
_REMEMBERED = 32


class PreparedTable:
    """A table with its text folded: cells are numbered row by row, so that row, column = divmod(cell, width)."""

    def __init__(self, table: Table) -> None:
        self.source = table
        self.width = max((len(table.headers), *map(len, table.rows)), default=0)
        self.height = len(table.rows)
        self.headers = tuple(
            () if is_invented(name, index) else name_stems(name) for index, name in enumerate(table.headers)
        ) + ((),) * (self.width - len(table.headers))
        self.caption = stems_of(table.caption)
        self._text = self._folded()
        lengths = np.fromiter(map(len, self._text.split("\n")), dtype=np.int64)
        # Where each cell ends; a line end stands between two.
        self._ends = np.cumsum(lengths + 1)
        self._found: dict[str, NDArray[np.int64]] = {}

    @cached_property
    def named(self) -> Table:
        """The table without the names that were invented for its columns."""
        table = self.source
        headers = tuple("" if is_invented(name, index) else name for index, name in enumerate(table.headers))
        return table if headers == table.headers else msgspec.structs.replace(table, headers=headers)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The table's columns, whose values are read once for all questions."""
        return columns_of(self.source)

    @cached_property
    def key(self) -> int:
        """The column that says what a row is about."""
        return key_column(self.columns)

    @cached_property
    def totals(self) -> NDArray[np.bool_]:
        """The rows that sum up others."""
        return total_rows(self.columns)

    def _folded(self) -> str:
        width = self.width
        cells: list[str] = []
        for row in self.source.rows:
            cells += row
            if len(row) < width:
                cells += [""] * (width - len(row))
        text = "\n".join(cells)
        if text.count("\n") != max(len(cells) - 1, 0):
            text = "\n".join(cell.replace("\n", " ") for cell in cells)
        return fold(text)

    def cells_with(self, term: str) -> NDArray[np.int64]:
        """The numbers of the cells that have a word of this stem, or this character; in order, each once."""
        if term not in self._found:
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            self._found[term] = self._cells_of(self._places(term))
            self._found[term].flags.writeable = False
        return self._found[term]

    def has_text(self, text: str) -> bool:
        """Whether a cell has this folded text in it."""
        return text in self._text

    def cells_with_text(self, text: str) -> NDArray[np.int64]:
        """The numbers of the cells that have this folded text in them, such as two Chinese characters."""
        return self._cells_of([found.start() for found in re.finditer(re.escape(text), self._text)])

    def _cells_of(self, places: list[int]) -> NDArray[np.int64]:
        return np.unique(np.searchsorted(self._ends, np.array(places, dtype=np.int64), side="right"))

    def _places(self, term: str) -> list[int]:
        text = self._text
        if is_han(term):
            return [found.start() for found in re.finditer(re.escape(term), text)]
        # A regular expression that begins with letters is found as fast as they are.
        return [
            found.start()
            for prefix in beginnings(term)
            for found in re.finditer(prefix, text)
            if _begins(text, found.start()) and stem(_word(text, found.start())) == term
        ]

    def cell(self, row: int, column: int) -> str:
        """A cell's text; empty where a row is too short."""
        cells = self.source.rows[row]
        return cells[column] if column < len(cells) else ""


def _begins(text: str, place: int) -> bool:
    """Whether a word begins at a place, as `tokens` cuts words."""
    if not place:
        return True
    before = text[place - 1]
    if before.isalnum():
        return is_han(before)
    two = text[place - 2 : place - 1]
    if before in ",.:":
        return not (two.isdecimal() and text[place].isdecimal())
    return not (before == "'" and two.isalnum() and text[place].isalpha() and not is_han(two))


def _word(text: str, place: int) -> str:
    found = WORD.match(text, place)
    return found[0] if found else " "

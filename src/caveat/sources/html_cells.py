"""Tables of web pages: which of them are tables at all, and rows in which merged cells stand again."""

from __future__ import annotations

import re
from typing import NamedTuple

from selectolax.lexbor import LexborNode

__all__ = ["Cell", "MergedCells", "is_data_table", "row_text"]

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
# A cell with as many paragraphs is a column of a page.
_PARAGRAPHS_OF_LAYOUT = 3
# Longer cells, and cells further to the right, are not written again: a small file must not become a huge text.
_LONGEST_REPEATED, _LAST_COLUMN = 200, 64
_NUMBER = re.compile(r"\s*(\d{1,5})")


class Cell(NamedTuple):
    """A cell's text, and how many rows and columns it takes."""

    text: str
    rows: int = 1
    columns: int = 1

    @classmethod
    def of(cls, node: LexborNode, text: str) -> Cell:
        """A cell with the spans that its attributes state; a rowspan of 0 reaches to the end of the section."""
        attributes = node.attributes
        rows = _span(attributes.get("rowspan"))
        return cls(text, rows if rows else 65_534, _span(attributes.get("colspan")) or 1)


def _span(value: str | None) -> int:
    number = _NUMBER.match(value or "1")
    return int(number[1]) if number else 1


class MergedCells:
    """The cells that reach down from rows above, in one section of a table."""

    def __init__(self) -> None:
        self._above: dict[int, Cell] = {}

    def row(self, cells: list[Cell]) -> list[str]:
        """The texts of a row, from left to right: a cell over several rows stands in each, over columns once."""
        texts: list[str] = []
        below: dict[int, Cell] = {}
        column = 0

        def put(cell: Cell) -> None:
            nonlocal column
            texts.append(cell.text)
            if cell.rows > 1 and column < _LAST_COLUMN and len(cell.text) <= _LONGEST_REPEATED:
                below[column] = cell._replace(rows=cell.rows - 1)
            column += cell.columns

        for cell in cells:
            while column in self._above:
                put(self._above.pop(column))
            put(cell)
        for place in sorted(self._above):
            column = max(column, place)
            put(self._above[place])
        self._above = below
        return texts


def row_text(texts: list[str]) -> str:
    """A row as one text; empty where all its cells are."""
    if not any(texts):
        return ""
    return " ".join(" | ".join(texts).split())


def is_data_table(table: LexborNode) -> bool:
    """Whether rows mean something, or the table only places parts of the page beside each other."""
    if (table.attributes.get("role") or "").lower() in ("presentation", "none"):
        return False
    cells = paragraphs = 0
    cell = ""
    wide = False
    open_nodes: list[LexborNode] = []
    node = table.first_child
    while node is not None or open_nodes:
        if node is None:
            node = open_nodes.pop().next
            continue
        tag = node.tag
        if tag == "table":
            return False
        if tag == "tr":
            cells = 0
        elif tag in ("td", "th"):
            cell = tag
            cells += 1
            paragraphs = 0
            wide = wide or cells > 1
        elif tag == "p":
            paragraphs += 1
            if paragraphs >= _PARAGRAPHS_OF_LAYOUT:
                return False
        elif tag in _HEADINGS and cell == "td":
            return False
        open_nodes.append(node)
        node = node.first_child
    return wide

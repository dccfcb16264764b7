"""Tables of web pages: which of them are tables at all, and rows of cells in which merged ones stand again.

Tables in tables are tables of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from caveat.core.limits import checkpoint
from caveat.sources.grid import RawTable
from caveat.sources.html_tags import HEADINGS, is_invisible

# A cell with this many paragraphs is a column of a page.
_PARAGRAPHS_OF_LAYOUT = 3
# Longer cells, and cells further to the right, are not written again: a small file must not become a huge text.
_LONGEST_REPEATED, _LAST_COLUMN = 200, 64
_NUMBER = re.compile(r"\s*(\d{1,5})")

SECTIONS = frozenset(("thead", "tbody", "tfoot"))
# Words on both sides of these are not one word.
_PARTING = frozenset(("br", "p", "div", "li", "ul", "ol", "dd", "dt", "hr", "section"))
# Soft hyphens, zero-width blanks, byte order marks: not shown, and in the way of every comparison.
_UNSEEN = str.maketrans("", "", "\u00ad\u200b\ufeff")
# As browsers do: a colspan beyond this is taken for a mistake.
_WIDEST_ROW = 1000


def words_of(text: str) -> str:
    """What is shown of a text, with single blanks between its words."""
    return " ".join(text.translate(_UNSEEN).split())


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
        checkpoint()
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
        elif tag in HEADINGS and cell == "td":
            return False
        open_nodes.append(node)
        node = node.first_child
    return wide


def page_tables(body: LexborNode | None, name: str) -> list[RawTable]:
    """The tables of a page of that name, of two columns or more, in the order in which they begin."""
    found: list[RawTable] = []
    heading = ""
    for node in _elements(body):
        if node.tag in HEADINGS:
            heading = _text(node)
        elif (table := _table(node)) is not None:
            caption = ": ".join(dict.fromkeys(filter(None, (name, table.caption or heading))))
            found.append(table._replace(caption=caption))
    return found


def _elements(root: LexborNode | None) -> Iterator[LexborNode]:
    """Headings and tables under a node, in order, without recursion; what is not shown is left out."""
    opened: list[LexborNode] = []
    node = root.first_child if root is not None else None
    while node is not None or opened:
        if node is None:
            node = opened.pop().next
            continue
        tag = node.tag or ""
        if not node.is_element_node or is_invisible(node, tag):
            node = node.next
            continue
        if tag in HEADINGS or tag == "table":
            yield node
        opened.append(node)
        node = node.first_child


def _table(node: LexborNode) -> RawTable | None:
    if (node.attributes.get("role") or "").lower() in ("presentation", "none"):
        return None
    caption = ""
    rows: list[list[str]] = []
    names: list[bool] = []
    nested = False
    for part in _children(node):
        if part.tag == "caption":
            caption = _text(part)
        if part.tag not in SECTIONS:  # the parser has put every row into one
            continue
        grid = _Grid()
        for line in _children(part):
            if line.tag != "tr":
                continue
            cells = [cell for cell in _children(line) if cell.tag in ("td", "th")]
            nested = nested or any(cell.css_first("table") is not None for cell in cells)
            texts = [_text(cell) for cell in cells]
            row = grid.row([Cell.of(cell, text) for cell, text in zip(cells, texts, strict=True)])
            if any(row):
                rows.append(row)
                heads = [cell for cell, text in zip(cells, texts, strict=True) if text]
                names.append(part.tag == "thead" or (bool(heads) and all(cell.tag == "th" for cell in heads)))
    # A table with tables in it places parts of a page, unless it names its columns.
    if max(map(len, rows), default=0) < 2 or (nested and not any(names)):
        return None
    return RawTable(caption, rows, _headers(names))


def _headers(names: list[bool]) -> int | None:
    """How many rows at the top are all headers; a column of headers at the left alone says nothing."""
    count = next((index for index, name in enumerate(names) if not name), len(names))
    return count if 0 < count < len(names) else (1 if count else None)


class _Grid:
    """The cells that reach into the rows below, in one section of a table."""

    def __init__(self) -> None:
        self._above: dict[int, tuple[str, int]] = {}

    def row(self, cells: list[Cell]) -> list[str]:
        if len(cells) == 1 and cells[0].columns > 2 and not self._above:
            return [cells[0].text]  # a heading between the rows is one cell
        row: list[str] = []
        below: dict[int, tuple[str, int]] = {}

        def put(text: str, rows: int) -> None:
            if rows > 1:
                below[len(row)] = (text, rows - 1)
            row.append(text)

        for cell in cells:
            while len(row) in self._above:
                put(*self._above.pop(len(row)))
            for _ in range(min(cell.columns, _WIDEST_ROW - len(row))):
                put(cell.text, cell.rows)
        for column in sorted(self._above):
            row += [""] * (column - len(row))
            if column == len(row):
                put(*self._above[column])
        self._above = below
        return row


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        if child.is_element_node and not is_invisible(child, child.tag or ""):
            yield child
        child = child.next


def _text(root: LexborNode) -> str:
    """What is shown in an element, without tables in it and without the numbers of footnotes."""
    gathered: list[str] = []
    opened: list[LexborNode] = []
    node = root.first_child
    while node is not None or opened:
        if node is None:
            node = opened.pop().next
            continue
        if node.is_text_node:
            gathered.append(node.text_content or "")
            node = node.next
            continue
        tag = node.tag or ""
        if not node.is_element_node or tag == "table" or is_invisible(node, tag) or _is_reference(node, tag):
            node = node.next
            continue
        if tag in _PARTING:
            gathered.append(" ")
        opened.append(node)
        node = node.first_child
    return words_of("".join(gathered))


def _is_reference(node: LexborNode, tag: str) -> bool:
    return tag == "sup" and "reference" in (node.attributes.get("class") or "")

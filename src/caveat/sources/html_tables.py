"""Tables of web pages as rows of cells: merged cells stand wherever they reach, tables in tables are their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from caveat.core.errors import InputError
from caveat.sources.html_cells import Cell
from caveat.sources.html_furniture import is_invisible

__all__ = ["RawHtmlTable", "html_tables"]

_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
# Words on both sides of these are not one word.
_PARTING = frozenset(("br", "p", "div", "li", "ul", "ol", "dd", "dt", "hr", "section"))
# Soft hyphens, zero-width blanks, byte order marks.
_UNSEEN = str.maketrans("", "", "\u00ad\u200b\ufeff")
# As browsers do: a colspan beyond this is taken for a mistake.
_LAST_COLUMN = 1000


class RawHtmlTable(NamedTuple):
    """A table's own caption, the heading over it, its rows, and how many are headers (None: the page does not say)."""

    caption: str
    heading: str
    rows: list[list[str]]
    headers: int | None


def html_tables(markup: str) -> tuple[str, list[RawHtmlTable]]:
    """The page's title, and its tables of two columns or more in the order in which they begin."""
    try:
        tree = LexborHTMLParser(markup.encode("utf-8", "replace").decode("utf-8"))
    except (SelectolaxError, ValueError) as error:
        raise InputError(f"cannot be read as HTML: {error}") from error
    title_node = tree.head.css_first("title") if tree.head else None
    title = _words(title_node.text()) if title_node is not None else ""
    found: list[RawHtmlTable] = []
    heading = ""
    for node in _elements(tree.body):
        if node.tag in _HEADINGS:
            heading = _text(node)
        elif (table := _table(node, heading)) is not None:
            found.append(table)
    return title, found


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
        if tag in _HEADINGS or tag == "table":
            yield node
        opened.append(node)
        node = node.first_child


def _table(node: LexborNode, heading: str) -> RawHtmlTable | None:
    if (node.attributes.get("role") or "").lower() in ("presentation", "none"):
        return None
    caption = ""
    rows: list[list[str]] = []
    names: list[bool] = []
    nested = False
    for part in _children(node):
        if part.tag == "caption":
            caption = _text(part)
        if part.tag not in _SECTIONS:  # the parser has put every row into one
            continue
        grid = _Grid()
        for line in _children(part):
            if line.tag != "tr":
                continue
            cells = [cell for cell in _children(line) if cell.tag in ("td", "th")]
            nested = nested or any(cell.css_first("table") is not None for cell in cells)
            row = grid.row([Cell.of(cell, _text(cell)) for cell in cells])
            if any(row):
                rows.append(row)
                heads = [cell for cell in cells if _text(cell)]
                names.append(part.tag == "thead" or (bool(heads) and all(cell.tag == "th" for cell in heads)))
    # A table with tables in it places parts of a page, unless it names its columns.
    if max(map(len, rows), default=0) < 2 or (nested and not any(names)):
        return None
    return RawHtmlTable(caption, heading, rows, _headers(names))


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
            for _ in range(min(cell.columns, _LAST_COLUMN - len(row))):
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
    return _words("".join(gathered))


def _is_reference(node: LexborNode, tag: str) -> bool:
    return tag == "sup" and "reference" in (node.attributes.get("class") or "")


def _words(text: str) -> str:
    return " ".join(text.translate(_UNSEEN).split())

"""HTML as it is written for office files: paragraphs, headings, list items at their depth, tables with merged cells."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

# As in HTML.
_LOWEST_HEADING = 6
# Deeper lists are a mistake, or made to fill the memory.
_DEEPEST = 32


class Cell(NamedTuple):
    """What stands in a cell, as HTML, and how many rows and columns it takes."""

    html: str
    rows: int = 1
    columns: int = 1
    header: bool = False


def span_of(number: str | None) -> int:
    """How many rows or columns a cell takes; 1 where that is not said, or not a number."""
    return max(1, int(number)) if number is not None and number.isdecimal() else 1


def table_html(rows: list[list[Cell]]) -> str:
    """A table of these rows."""
    return "<table>" + "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows) + "</table>"


def _cell(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = f' rowspan="{cell.rows}"' * (cell.rows > 1) + f' colspan="{cell.columns}"' * (cell.columns > 1)
    return f"<{tag}{spans}>{cell.html}</{tag}>"


class Writer:
    """Takes what stands below each other, in order; list items next to each other become lists."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self._open = 0

    def paragraph(self, html: str) -> None:
        self._block("p", html)

    def heading(self, level: int, html: str) -> None:
        self._block(f"h{min(max(level, 1), _LOWEST_HEADING)}", html)

    def raw(self, html: str) -> None:
        """Something that ends a list, such as a table."""
        self._close(0)
        self._written.append(html)

    def item(self, depth: int, html: str) -> None:
        """A list item inside of `depth` others."""
        if not html.strip():
            return
        depth = min(max(depth, 0), _DEEPEST)
        self._close(depth + 1)
        if self._open == depth + 1:
            self._written.append("</li><li>")
        while self._open <= depth:
            self._written.append("<ul><li>")
            self._open += 1
        self._written.append(html)

    def _block(self, tag: str, html: str) -> None:
        if html.strip():
            self.raw(f"<{tag}>{html}</{tag}>")

    def _close(self, depth: int) -> None:
        while self._open > depth:
            self._written.append("</li></ul>")
            self._open -= 1

    def html(self, title: str = "") -> str:
        """All of it."""
        self._close(0)
        head = f"<title>{escape(title)}</title>" if title else ""
        return f"<!doctype html>{head}<body>{''.join(self._written)}"

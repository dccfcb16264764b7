"""Tables of a PDF: lines whose cells stand below each other, with or without lines drawn between them."""

from __future__ import annotations

import re
from typing import NamedTuple

from caveat.sources.pdf_layout import Line, Region, columns_of
from caveat.sources.pdf_text import Rule, Run
from caveat.sources.plain_text import after_marker

# So many lines of more than one cell make a table; one where lines are drawn needs fewer.
_FEWEST_ROWS, _FEWEST_RULED = 3, 2
# Longer cells are prose.
_LONGEST_CELL = 60
# Of the lines of a table so many have more than one cell.
_SHARE_OF_ROWS = 0.5
# A gap down the page that ends a table, by the height of a line.
_GAP = 1.8
_MARKER = re.compile(r"[-*+·–—o•●○▪■◦‣◆\uf0a7\uf0b7]|[(（]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[).、．]?")
LEADER = re.compile(r"(?:\.[ \u2009]?){4,}|(?:…[ ]?){2,}|(?:[·∙][ ]?){4,}")
"""The dots that lead from a title to its page."""


class FoundTable(NamedTuple):
    """A table: which lines of a region it is, and its rows."""

    first: int
    last: int
    rows: list[list[str]]


def tables_of(region: Region, rules: list[Rule]) -> list[FoundTable]:
    """The tables of a region, from top to bottom."""
    found: list[FoundTable] = []
    at = 0
    while at < len(region):
        last = _stretch(region, at)
        table = _table(region, at, last, rules) if last - at >= _FEWEST_RULED else None
        if table is not None:
            found.append(table)
            at = table.last
        else:
            at = max(at + 1, last)
    return found


def _is_row(line: Line) -> bool:
    if len(line.cells) < 2 or line.fixed or LEADER.search(line.text):
        return False
    # A bullet or a number and its text, or the number of a heading and its title.
    if len(line.cells) == 2 and _MARKER.fullmatch(line.cells[0].text) and columns_of(line.cells[1].text) > 12:
        return False
    return max(columns_of(cell.text) for cell in line.cells) <= _LONGEST_CELL


def _stretch(region: Region, at: int) -> int:
    """The lines from there on that may be one table: rows, and between them lines that fit into one column."""
    if not _is_row(region[at]):
        return at
    last = at + 1
    end = last
    while last < len(region):
        line, before = region[last], region[last - 1]
        if line.top - before.bottom > _GAP * max(line.size, before.size):
            break
        if _is_row(line):
            end = last + 1
        elif len(line.cells) > 1 or last - end >= 3 or line.right - line.left > 0.6 * _width(region[at:end]):
            break
        last += 1
    return end


def _width(lines: list[Line]) -> float:
    return max(line.right for line in lines) - min(line.left for line in lines)


def _table(region: Region, first: int, last: int, rules: list[Rule]) -> FoundTable | None:
    lines = region[first:last]
    rows = [line for line in lines if _is_row(line)]
    across = _across(lines, rules)
    if len(rows) < (_FEWEST_RULED if len(across) >= 2 else _FEWEST_ROWS) or len(rows) < _SHARE_OF_ROWS * len(
        lines
    ):
        return None
    columns = _columns([cell for line in rows for cell in line.cells])
    if len(columns) < 2:
        return None
    # Where cells of one line fall into one column, it is no table.
    clear = sum(len({_column(cell, columns) for cell in line.cells}) == len(line.cells) for line in rows)
    if clear < 0.8 * len(rows):
        return None
    starts = [cell.text for line in rows for cell in line.cells[:1]]
    if all(after_marker(f"{text} x", 0, len(text) + 2) is not None for text in starts) and len(columns) == 2:
        return None  # a list
    # The line above may be the header of some of the columns.
    above = region[first - 1] if first else None
    if above is not None and len(above.cells) > 1 and not LEADER.search(above.text):
        gap = lines[0].top - above.bottom
        if gap < _GAP * above.size and all(_inside(cell, columns) for cell in above.cells):
            first -= 1
            lines = region[first:last]
    return FoundTable(first, last, _rows(lines, columns, across))


def _across(lines: list[Line], rules: list[Rule]) -> list[float]:
    """The heights at which lines are drawn across a table."""
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    top, bottom = lines[0].top, lines[-1].bottom
    slack = 2 * lines[0].size
    places = sorted(
        rule.top
        for rule in rules
        if rule.right - rule.left > 0.6 * (right - left)
        and rule.left < right
        and rule.right > left
        and top - slack <= rule.top <= bottom + slack
    )
    kept: list[float] = []
    for place in places:
        if not kept or place - kept[-1] > 3:
            kept.append(place)
    return kept


def _columns(cells: list[Run]) -> list[tuple[float, float]]:
    """The places across the page that cells take, those that overlap as one; a title over columns joins none."""
    widths = sorted(cell.right - cell.left for cell in cells)
    usual = widths[len(widths) * 3 // 4]
    merged: list[list[float]] = []
    for cell in sorted(cells, key=lambda cell: cell.left):
        if cell.right - cell.left > 3 * usual:
            continue
        if merged and cell.left < merged[-1][1] - 1:
            merged[-1][1] = max(merged[-1][1], cell.right)
        else:
            merged.append([cell.left, cell.right])
    return [(left, right) for left, right in merged]


def _column(cell: Run, columns: list[tuple[float, float]]) -> int:
    overlaps = [min(cell.right, right) - max(cell.left, left) for left, right in columns]
    return overlaps.index(max(overlaps))


def _inside(cell: Run, columns: list[tuple[float, float]]) -> bool:
    return sum(min(cell.right, right) > max(cell.left, left) for left, right in columns) == 1


def _rows(lines: list[Line], columns: list[tuple[float, float]], across: list[float]) -> list[list[str]]:
    """The rows; between lines that are drawn there is one, and a line without a first cell goes on with the last."""
    rows: list[list[str]] = []
    band = -1
    ruled = len(across) >= max(3, len(lines) // 3)
    for line in lines:
        row = [""] * len(columns)
        for cell in line.cells:
            index = _column(cell, columns)
            row[index] = f"{row[index]} {cell.text}".strip()
        middle = (line.top + line.bottom) / 2
        here = sum(place < middle for place in across)
        goes_on = rows and (
            here == band if ruled and 0 < here < len(across) else not row[0] and any(rows[-1])
        )
        # A line that has most of its cells is a row of its own.
        if goes_on and not (not ruled and 2 * sum(map(bool, row)) > len(columns) + 1):
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], row, strict=True)]
        else:
            rows.append(row)
        band = here
    return rows

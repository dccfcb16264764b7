"""The lines of a page in reading order, columns one after the other, and those that stand on every page.

Running titles, page numbers and footers are no part of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from caveat.core.languages import count_han
from caveat.sources.pdf_text import PageText, Run

# Runs that overlap by this share of the lower one's height, and whose feet are this near, stand on one line.
_SAME_LINE, _SAME_FOOT = 0.5, 0.5
# A gap between cells of a line, by the height of its letters; narrower ones are gaps between words.
_CELL_GAP = 1.0
# A column of prose has so many lines, so many letters in them, so wide a place, and most of them fill it.
_FEWEST_LINES, _FEWEST_LETTERS, _NARROWEST = 4, 18, 0.15
_FULL, _SHARE_FULL = 0.6, 0.4
_GUTTER = 0.6
_MOST_COLUMNS = 4
_GRAIN = 3.0


class Line(NamedTuple):
    """A line of a column: its cells, which wide gaps part, and the style that most of its letters have."""

    cells: tuple[Run, ...]
    left: float
    top: float
    right: float
    bottom: float
    size: float
    bold: bool
    fixed: bool

    @property
    def text(self) -> str:
        """The cells with blanks between them."""
        return " ".join(cell.text for cell in self.cells)


Region = list[Line]
"""The lines of a column, or of a part of a page over its whole width, from top to bottom."""


def regions_of(page: PageText) -> list[Region]:
    """The parts of a page in reading order."""
    return [
        [line_of(row) for row in rows_of(part)]
        for part in _parts(page.runs, page.width, _MOST_COLUMNS)
        if part
    ]


def rows_of(runs: Iterable[Run]) -> list[list[Run]]:
    """Runs that stand on one line, each row from left to right, rows from top to bottom."""
    rows: list[list[Run]] = []
    boxes: list[tuple[float, float]] = []
    for run in sorted(runs, key=lambda run: (run.bottom, run.left)):
        for index in range(len(rows) - 1, max(-1, len(rows) - 4), -1):
            top, bottom = boxes[index]
            lower = min(bottom - top, run.bottom - run.top)
            overlap = min(bottom, run.bottom) - max(top, run.top)
            if overlap >= _SAME_LINE * lower and abs(bottom - run.bottom) <= _SAME_FOOT * lower:
                rows[index].append(run)
                if run.bottom - run.top > bottom - top:
                    boxes[index] = (run.top, run.bottom)
                break
        else:
            rows.append([run])
            boxes.append((run.top, run.bottom))
    order = sorted(range(len(rows)), key=lambda index: boxes[index][1])
    return [sorted(rows[index], key=lambda run: run.left) for index in order]


def line_of(row: Sequence[Run]) -> Line:
    """A row as a line: runs with no more than a word's gap between them are one cell."""
    cells: list[Run] = []
    for run in row:
        before = cells[-1] if cells else None
        if before is not None and run.left - before.right < _CELL_GAP * max(before.size, run.size):
            glued = run.left - before.right < 0.1 * run.size
            larger = before if len(before.text) >= len(run.text) else run
            cells[-1] = Run(
                before.text + ("" if glued else " ") + run.text,
                before.left,
                min(before.top, run.top),
                max(before.right, run.right),
                max(before.bottom, run.bottom),
                larger.size,
                before.bold and run.bold,
                before.fixed and run.fixed,
            )
        else:
            cells.append(run)
    main = max(cells, key=lambda cell: len(cell.text))
    return Line(
        tuple(cells),
        cells[0].left,
        min(cell.top for cell in cells),
        max(cell.right for cell in cells),
        max(cell.bottom for cell in cells),
        main.size,
        all(cell.bold for cell in cells),
        all(cell.fixed for cell in cells),
    )


def columns_of(text: str) -> int:
    """How wide a text is, in Latin letters."""
    return len(text) if text.isascii() else len(text) + count_han(text)


class _Zone(NamedTuple):
    """Rows that nothing crosses at a place, from the first to before the last; the sides, if they are columns."""

    first: int
    last: int
    columns: bool


def _parts(runs: list[Run], width: float, depth: int) -> list[list[Run]]:
    """Parts of a page, each of one column, in reading order."""
    if depth == 0 or len(runs) < 2 * _FEWEST_LINES:
        return [runs]
    rows = rows_of(runs)
    best: list[_Zone] = []
    most, place = 0, 0.0
    for gutter in _gutters(runs):
        zones = _zones(rows, gutter, width)
        count = sum(zone.last - zone.first for zone in zones if zone.columns)
        if count > most:
            best, most, place = zones, count, gutter
    if not best:
        return [runs]
    parts: list[list[Run]] = []
    for zone in best:
        inside = [run for row in rows[zone.first : zone.last] for run in row]
        if zone.columns:
            parts += _parts([run for run in inside if run.left < place], width, depth - 1)
            parts += _parts([run for run in inside if run.left >= place], width, depth - 1)
        elif zone.last > zone.first:
            parts.append(inside)
    return parts


def _gutters(runs: list[Run]) -> list[float]:
    """Places right before where many runs begin, but not those at the left of all."""
    first = min(run.left for run in runs)
    starts = Counter(round(run.left / _GRAIN) for run in runs if run.left > first + 40)
    return [start * _GRAIN - _GRAIN for start, count in starts.most_common(5) if count >= _FEWEST_LINES]


def _zones(rows: list[list[Run]], place: float, width: float) -> list[_Zone]:
    zones: list[_Zone] = []
    first = 0
    for index in range(len(rows) + 1):
        if index < len(rows) and not any(run.left < place < run.right for run in rows[index]):
            continue
        if index > first:
            zones.append(_Zone(first, index, _are_columns(rows[first:index], place, width)))
        if index < len(rows):
            zones.append(_Zone(index, index + 1, False))
        first = index + 1
    return _merged(zones)


def _merged(zones: list[_Zone]) -> list[_Zone]:
    merged: list[_Zone] = []
    for zone in zones:
        if merged and not zone.columns and not merged[-1].columns:
            merged[-1] = merged[-1]._replace(last=zone.last)
        else:
            merged.append(zone)
    return merged


def _are_columns(rows: list[list[Run]], place: float, width: float) -> bool:
    """Whether there is prose on both sides, with a gutter between."""
    left = [[run for run in row if run.left < place] for row in rows]
    right = [[run for run in row if run.left >= place] for row in rows]
    left, right = [row for row in left if row], [row for row in right if row]
    if not (_is_prose(left, width) and _is_prose(right, width)):
        return False
    ends = sorted(row[-1].right for row in left)
    size = median(row[0].size for row in left)
    return min(row[0].left for row in right) - ends[len(ends) * 9 // 10] >= _GUTTER * size


def _is_prose(rows: list[list[Run]], width: float) -> bool:
    if len(rows) < _FEWEST_LINES:
        return False
    letters = [sum(columns_of(run.text) for run in row) for row in rows]
    if sum(letters) < _FEWEST_LETTERS * len(rows):
        return False
    start, end = min(row[0].left for row in rows), max(row[-1].right for row in rows)
    if end - start < _NARROWEST * width:
        return False
    full = sum(row[-1].right - row[0].left >= _FULL * (end - start) for row in rows)
    return full >= _SHARE_FULL * len(rows)


# The outer parts of a page in which such lines stand, and how many of them on each side.
_ZONE = 0.13
_MOST_FURNITURE = 3
_FEWEST_PAGES = 3
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]+", re.IGNORECASE)
_HEIGHT_GRAIN = 6.0

Place = tuple[int, float, float]
"""A page, counting from 0, and where a line of it stands."""


def furniture_of(pages: list[tuple[float, list[Line]]]) -> set[Place]:
    """The places of the lines that stand on several pages, of pages given by their heights and lines.

    A line is one of them if the same words stand at the same height on at least three pages, or on all of two, whatever
    its numbers are; or if it has a number that grows with each page.
    """
    outer: list[tuple[int, Line]] = []
    for number, (height, lines) in enumerate(pages):
        inside = sorted(lines, key=lambda line: line.top)
        outer += [(number, line) for line in inside[:_MOST_FURNITURE] if line.bottom < _ZONE * height]
        outer += [(number, line) for line in inside[-_MOST_FURNITURE:] if line.top > (1 - _ZONE) * height]
    words: Counter[tuple[str, int]] = Counter()
    seen: set[tuple[int, str, int]] = set()
    for number, line in outer:
        key = _words(line)
        for row in _rows(line):
            if (number, key, row) not in seen:
                seen.add((number, key, row))
                words[key, row] += 1
    numbers = Counter(
        (label - number, row, side)
        for number, line in outer
        for side, label in _labels(line)
        for row in _rows(line)
    )
    fewest = min(_FEWEST_PAGES, max(2, len(pages)))
    return {
        (number, line.left, line.top)
        for number, line in outer
        if any(words[_words(line), row] >= fewest for row in _rows(line))
        or any(
            numbers[label - number, row, side] >= _FEWEST_PAGES
            for side, label in _labels(line)
            for row in _rows(line)
        )
        or (_is_number(line) and len(pages) > 1)
    }


def _rows(line: Line) -> tuple[int, int]:
    """Where a line stands, roughly; one that is near a border of two rows is in both."""
    return int(line.bottom // _HEIGHT_GRAIN), int(
        (line.bottom + _HEIGHT_GRAIN / 2) // _HEIGHT_GRAIN
    ) + 100_000


def _words(line: Line) -> str:
    words = ["#" if _ROMAN.fullmatch(word) else word for word in line.text.casefold().split()]
    return _DIGITS.sub("#", " ".join(words))


def _labels(line: Line) -> list[tuple[str, int]]:
    """The numbers at the beginning and at the end of a line."""
    words = line.text.split()
    found: list[tuple[str, int]] = []
    for side, word in (("first", words[0]), ("last", words[-1])):
        if word.isdecimal() and len(word) < 5:
            found.append((side, int(word)))
    return found


def _is_number(line: Line) -> bool:
    text = line.text.strip("-–—·• []()")
    return (text.isdecimal() and len(text) < 5) or (_ROMAN.fullmatch(text) is not None and text.islower())

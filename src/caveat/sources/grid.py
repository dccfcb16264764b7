"""Rows of cells as a table: which rows are headers, what stands above them, what its columns are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise, zip_longest
from typing import NamedTuple

import msgspec

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.core.records import Table
from caveat.language.dates import parse_date
from caveat.language.quantities import is_blank, parse_quantity

# The first rows tell what the columns hold.
_LOOKED_AT = 100
# A title over a table is a line or two.
_MOST_TITLES = 5
# Padding may make a table this many times larger, not more.
_MOST_PADDING = 20


def invented_name(index: int) -> str:
    """The name of a column that has none, by its place: "column 1" for the first."""
    return f"column {index + 1}"


def is_invented(name: str, index: int) -> bool:
    """Whether a column's name only says which column it is, and so nothing about what stands in it."""
    return name == invented_name(index)


def column_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names with blanks made single, empty ones invented, and a number after those that came before."""
    found: dict[str, None] = {}
    given = {" ".join(name.split()) for name in names}
    # Where counting goes on for each name: a file may have a hundred thousand columns of one name.
    numbers: dict[str, int] = {}
    for index, raw in enumerate(names):
        name = plain = " ".join(raw.split()) or invented_name(index)
        number = numbers.get(plain, 2)
        while name in found or (name != plain and name in given):
            name = f"{plain} ({number})"
            number += 1
        numbers[plain] = number
        found[name] = None
    return tuple(found)


class RawTable(NamedTuple):
    """A table as it stands in a file: caption, rows, how many of them are headers (None: the file does not say)."""

    caption: str
    rows: list[list[str]]
    headers: int | None = None


class ReadTable(msgspec.Struct, frozen=True):
    """A table as read from a file: whether its column names are all invented, and how many rows were ragged."""

    table: Table
    without_header: bool = False
    ragged: int = 0


def read_table(
    rows: Iterable[Sequence[str]], *, caption: str = "", id: str = "", headers: int | None = None
) -> ReadTable | None:
    """A table of the rows, of which the first `headers` are headers (None: the content tells); None if all is empty.

    Blank rows go; rows that are too short are padded, columns without a name get one. A title over the header
    becomes part of the caption.
    """
    kept = [row for row in rows if any(row)]
    titles: list[str] = []
    if headers is None:
        titles = _titles(kept)
        del kept[: len(titles)]
        headers = header_count(kept)
    above, below = kept[:headers], kept[headers:]
    if not above and not below:
        return None
    width = max(map(len, kept))
    usual = Counter(map(len, kept)).most_common(1)[0][0]
    if (width - usual) * len(kept) > _MOST_PADDING * sum(map(len, kept)) + 10_000:
        raise InputError(f"has a row of {width:,} cells where most have {usual:,}: it is not a table")
    if width * len(kept) > (most := current_limits().cells):
        raise over("cells", f"has a table of more than {most:,} cells")
    expected = len(above[-1]) if above else usual
    ragged = sum(len(row) != expected for row in below)
    names = [_joined(parts) for parts in zip_longest(*above, fillvalue="")] if above else []
    names += [""] * (width - len(names))
    full = tuple(_padded(row, width) for row in below)
    keep = [index for index, name in enumerate(names) if name or any(row[index] for row in full)]
    if len(keep) < width:
        full = tuple(tuple(row[index] for index in keep) for row in full)
        names = [names[index] for index in keep]
    caption = ": ".join(dict.fromkeys(part for part in (caption, *titles) if part))
    return ReadTable(Table(column_names(names), full, caption, id), not above, ragged)


def _padded(row: Sequence[str], width: int) -> tuple[str, ...]:
    return (*row, *("",) * (width - len(row)))


def _joined(parts: Iterable[str]) -> str:
    """The name of a column with several header rows; a merged cell stands in it once."""
    return " ".join(dict.fromkeys(filter(None, parts)))


def _titles(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines over a table: rows of one cell, where the rows after them have more."""
    titles: list[str] = []
    for row in rows[: _MOST_TITLES + 1]:
        filled = list(filter(None, row))
        # A merged cell over part of a sheet stands in it several times.
        if len(filled) > 1 and (len(filled) == 2 or len(set(filled)) > 1):
            break
        titles.append(filled[0])
    below = rows[len(titles) : len(titles) + _LOOKED_AT]
    if len(titles) > _MOST_TITLES or len(below) < 2:
        return []
    wide = sum(sum(map(bool, row)) > 1 for row in below)
    return titles if 2 * wide > len(below) else []


def header_count(rows: Sequence[Sequence[str]]) -> int:
    """1 if the first row looks like names of columns, 0 if like the rows after it; 2 for names under merged names.

    A name stands over numbers or dates without being one; a year may stand over numbers that are no years. Where
    every column is text, the first row is a header unless one of its cells stands again in its column.
    """
    if not rows:
        return 0
    first, below = rows[0], rows[1 : 1 + _LOOKED_AT]
    if not below:
        return int(not any(_kind(cell) for cell in first if cell))
    merged = any(name and name == other for name, other in pairwise(first))
    if merged and len(below) > 1 and not any(map(_kind, filter(None, (*first, *below[0])))):
        names, data, _ = _evidence(below[0], below[1:])
        if names > data:
            return 2
    names, data, repeated = _evidence(first, below)
    return int(names >= data) if names or data else int(not repeated)


def _evidence(first: Sequence[str], below: Sequence[Sequence[str]]) -> tuple[int, int, int]:
    """In how many columns the first cell is a name over data, is data like the rest, is a text that stands again."""
    names = years = data = repeated = 0
    for index, name in enumerate(first):
        cells = [row[index] for row in below if index < len(row) and not is_blank(row[index])]
        if not cells or is_blank(name):
            continue
        kind, number = Counter(map(_kind, cells)).most_common(1)[0]
        mine = _kind(name)
        repeated += mine == "" and name in cells
        if 2 * number <= len(cells) or kind == "":
            data += mine == "number"
        elif mine == kind:
            data += 1
        else:
            names += mine == ""
            years += mine == "year"
    # A number of 1200 or 1890 may be a year: it is no name in a row of data.
    return names + (0 if data else years), data, repeated


def tables_on(rows: Sequence[Sequence[str]]) -> list[list[list[str]]]:
    """The tables of a sheet, below or beside each other, blank rows or columns between them.

    What comes after a gap is a table of its own only if names of columns stand over its data, as they do over what
    comes before: rows are often set apart for the eye alone.
    """
    found: list[list[list[str]]] = []
    for is_blank_row, group in groupby(rows, key=lambda row: not any(row)):
        if is_blank_row:
            continue
        part = [list(row) for row in group]
        if found and not (_is_headed(part) and _is_headed(found[-1])):
            found[-1] += part
        else:
            found.append(part)
    return [table for part in found for table in _beside(part)]


def _is_headed(rows: list[list[str]]) -> bool:
    below = rows[len(_titles(rows)) :]
    names, data, _ = _evidence(below[0], below[1 : 1 + _LOOKED_AT]) if len(below) > 1 else (0, 0, 0)
    return names > data


def _beside(rows: list[list[str]]) -> list[list[list[str]]]:
    """The tables beside each other in rows without a blank one between them."""
    groups: list[list[int]] = []
    for column in sorted({column for row in rows for column, text in enumerate(row) if text}):
        if groups and groups[-1][1] == column:
            groups[-1][1] = column + 1
        else:
            groups.append([column, column + 1])
    if len(groups) < 2 or any(end - start < 2 for start, end in groups):
        return [rows]
    parts = [[row[start:end] for row in rows if any(row[start:end])] for start, end in groups]
    return parts if all(map(_is_headed, parts)) else [rows]


def _kind(cell: str) -> str:
    """What a cell is, as far as headers are concerned: a year, a date, a number, or a text (empty)."""
    if (date := parse_date(cell)) is not None:
        return "date" if date.month or not cell[:4].isdecimal() else "year"
    quantity = parse_quantity(cell)
    return "number" if quantity is not None and len(quantity.unit) <= 4 else ""

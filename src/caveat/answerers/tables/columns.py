"""What a table's columns hold: numbers, dates or texts; their values are read when they are first needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from caveat.answerers.tables.lexicon import lexicon
from caveat.answerers.tables.tokens import fold, name_stems, stem, stems_of
from caveat.core.records import Table
from caveat.language.dates import PartialDate, parse_date
from caveat.language.quantities import Quantity, is_blank, parse_quantity
from caveat.sources.grid import is_invented

if TYPE_CHECKING:
    from numpy.typing import NDArray

ColumnKind = Literal["number", "date", "text"]

# The number of cells, spread over the column, that tell its kind, and the share of them that must be of it.
_LOOKED_AT, _SHARE = 200, 0.75
_FIRST_YEAR, _LAST_YEAR = 1700, 2100
_MOST_ACROSS = 0.5
_DECIMAL_COMMA = re.compile(r"\d,(?:\d{1,2}|\d{4,})(?!\d)")
_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)|\d\.\d")
_PLAIN = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_TWICE = re.compile(r"\s*([$£€¥]?\d[\d,.]*\s*[^\W\d]{0,12}²?)\s*[/,;(]\s*[$£€¥]?\d")
_CODE = re.compile(r"[A-Za-z]{0,4}[-./]?\d+[A-Za-z]?(?:[-./]\w+)?")
_POINT_PLACES, _COMMA_PLACES = re.compile(r"\d\.(\d{1,12})(?!\d*\.)"), re.compile(r"\d,(\d{1,12})")
_YEAR_MONTH = re.compile(r"((?:1[5-9]|20|21)\d\d)[-/.](0[1-9]|1[0-2])")
_DIGITS = re.compile(r"\d+")
# A unit stands in brackets or at the end of a name.
_SCALE_OF_NAME = re.compile(
    r"[(（,，/\s]\s*(?:usd|us\$|\$|€|£|in)?\s*(百万|千万|万|亿|thousands?|millions?|billions?)"
)
_SCALES_OF_NAMES = {"百万": 1e6, "千万": 1e7, "万": 1e4, "亿": 1e8} | {
    f"{word}{s}": value
    for word, value in (("thousand", 1e3), ("million", 1e6), ("billion", 1e9))
    for s in ("", "s")
}
_ACRONYM = re.compile(r"\b[A-Z]{3,}\b")
_TOTAL = re.compile(
    r"(?:grand |sub-?|career )?totals?(?:\s*[:(].*| (?:for|of) .*)?|career|overall|sum|合计|总计|总和|小计|共计|总",
    re.IGNORECASE,
)


class Column:
    """A column: its name, its cells, and their values as numbers (days of dates, NaN for none)."""

    def __init__(self, table: Table, index: int) -> None:
        self.index = index
        self.name = table.headers[index] if index < len(table.headers) else ""
        self.nameless = not self.name or is_invented(self.name, index)
        self.stems: tuple[str, ...] = () if self.nameless else name_stems(self.name)
        self._rows = table.rows

    def cell(self, row: int) -> str:
        """The text in a row; empty where the row is too short."""
        cells = self._rows[row]
        return cells[self.index] if self.index < len(cells) else ""

    def is_about(self, sort: str) -> bool:
        """Whether the column's name has one of the lexicon's words for columns of a sort in it."""
        return self.has_word(lexicon().columns[sort])

    def has_word(self, words: Iterable[str]) -> bool:
        """Whether the column's name has one of the words in it, stems or Chinese."""
        return any(word in self.stems or (not word.isascii() and word in self._folded_name) for word in words)

    @cached_property
    def _folded_name(self) -> str:
        return fold(self.name)

    @cached_property
    def cells(self) -> list[str]:
        """All the texts."""
        index = self.index
        return [row[index] if index < len(row) else "" for row in self._rows]

    @cached_property
    def sample(self) -> list[str]:
        """Some of the cells that say something, from all over the column."""
        step = max(1, len(self._rows) // (2 * _LOOKED_AT))
        rows = range(0, len(self._rows), step)
        return [cell for row in rows if not is_blank(cell := self.cell(row))][:_LOOKED_AT]

    @cached_property
    def decimal_comma(self) -> bool:
        """Whether 3,14 stands here for 3.14: some cells can be read in no other way, and none against it."""
        return any(map(_DECIMAL_COMMA.search, self.sample)) and not any(map(_THOUSANDS.search, self.sample))

    @cached_property
    def kind(self) -> ColumnKind:
        """What most of the cells are; a column of plain numbers that look like years is one of dates."""
        sample = self.sample
        if not sample or self.is_coded:
            return "text"
        dates = [date for date in map(self._date, sample) if date is not None]
        enough = _SHARE * len(sample)
        if len(dates) >= enough and (self._is_dated(dates) or not self.stems):
            return "date"
        quantities = [found for cell in sample if (found := self._quantity(cell)) is not None]
        if len(quantities) >= enough and _alike(quantities):
            return "number"
        return "date" if len(dates) >= enough else "text"

    def _is_dated(self, dates: Sequence[PartialDate]) -> bool:
        years = [date.year for date in dates if not date.month]
        if 2 * len(years) <= len(dates) or self.is_about("years"):
            return True
        near = sum(_FIRST_YEAR <= year <= _LAST_YEAR for year in years)
        return near >= 0.9 * len(years)

    def _quantity(self, cell: str) -> Quantity | None:
        quantity = parse_quantity(cell, decimal_comma=self.decimal_comma)
        if quantity is None and (measured := _TWICE.match(cell)):
            # 832 mm / 32.78 in, 30 years, 352 days, 134 / 250: what stands first counts.
            quantity = parse_quantity(measured[1], decimal_comma=self.decimal_comma)
        return quantity

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The cells as numbers that can be compared; NaN where a cell is none."""
        read = self._read_date if self.kind == "date" else self._read_number
        known: dict[str, float] = {}
        values = np.empty(len(self._rows))
        for row, cell in enumerate(self.cells):
            value = known.get(cell)
            if value is None:
                value = known[cell] = read(cell)
            values[row] = value
        return values

    @cached_property
    def _by_month(self) -> bool:
        """Whether 2000-01 is a month here, and not a season that ends in 2001."""
        parts = [found.groups() for cell in self.sample if (found := _YEAR_MONTH.fullmatch(cell.strip()))]
        if len(parts) < len(self.sample) or not parts:
            return False
        return any((int(year) + 1) % 100 != int(month) for year, month in parts)

    def _date(self, cell: str) -> PartialDate | None:
        if self._by_month and (found := _YEAR_MONTH.fullmatch(cell.strip())):
            return PartialDate(int(found[1]), int(found[2]))
        return parse_date(cell)

    def _read_date(self, cell: str) -> float:
        date = self._date(cell)
        return date.ordinal if date is not None else np.nan

    def _read_number(self, cell: str) -> float:
        # Most numbers are plain, and of 200,000 each microsecond counts.
        if not self.decimal_comma and _PLAIN.fullmatch(cell):
            return float(cell.replace(",", ""))
        if is_blank(cell):
            return np.nan
        quantity = self._quantity(cell)
        return quantity.value if quantity is not None else np.nan

    @cached_property
    def unit(self) -> str:
        """The unit or sign that most numbers stand with; empty for none."""
        units = Counter(found.unit for cell in self.sample if (found := self._quantity(cell)) is not None)
        return units.most_common(1)[0][0] if units else ""

    @cached_property
    def is_rank(self) -> bool:
        """Whether a smaller number is the better one."""
        return self.is_about("ranks")

    @cached_property
    def is_index(self) -> bool:
        """Whether the numbers only number the rows."""
        if self.kind != "number" or self.is_rank:
            return False
        values = self.values[:_LOOKED_AT]
        steps = np.diff(values[~np.isnan(values)])
        return bool(
            len(steps) > 1
            and ((steps == 1).all() or (steps == -1).all())
            and abs(values[0]) <= len(self.cells) + 1
        )

    @cached_property
    def has_shares(self) -> bool:
        """Whether the numbers are shares of something: by their unit or name, or as parts of a hundred."""
        if self.kind != "number" or self.unit not in ("", "%"):
            return False
        if self.unit == "%" or self.is_about("shares"):
            return True
        values = self.values[:_LOOKED_AT]
        return bool(self.places and np.nanmin(values) >= 0 and np.nanmax(values) <= 100)

    @cached_property
    def places(self) -> int:
        """The most places behind the point that numbers here have."""
        point = _COMMA_PLACES if self.decimal_comma else _POINT_PLACES
        return max((len(found[1]) for cell in self.sample if (found := point.search(cell))), default=0)

    @cached_property
    def is_coded(self) -> bool:
        """Whether digits are codes, which are compared as texts: some begin with 0, or the column is named so."""
        if not self.sample or not all(map(_DIGITS.fullmatch, self.sample)):
            return False
        padded = [cell for cell in self.sample if cell[0] == "0" and len(cell) > 1]
        # 07 and 12 are codes of one length, 0012 and 12 numbers that were filled up.
        return len({*map(len, self.sample)}) == 1 if padded else self.is_about("codes")

    @cached_property
    def flags(self) -> NDArray[np.bool_] | None:
        """Which rows say yes, where the column says nothing but yes and no."""
        texts = {fold(cell.strip()) for cell in self.sample}
        words = lexicon()
        if not texts or not texts <= words.yes_cells | words.no_cells or texts <= words.no_cells:
            return None
        if texts <= words.yes_cells and self.kind == "number":
            return None
        return _marked(fold(cell.strip()) in words.yes_cells for cell in self.cells)

    @cached_property
    def scale(self) -> float:
        """What a number here stands for, as the name says: 10,000 in 营收（万元）, a million in Revenue (million)."""
        found = _SCALE_OF_NAME.search(self._folded_name)
        return _SCALES_OF_NAMES[found[1]] if found else 1.0

    @cached_property
    def is_code(self) -> bool:
        """Whether the texts stand for what a row is about: they are numbers with letters, such as A01, or named so."""
        if self.is_about("codes"):
            return True
        codes = sum(_CODE.fullmatch(cell) is not None for cell in self.sample)
        return codes >= 0.9 * len(self.sample)

    @cached_property
    def distinct(self) -> float:
        """How many of the cells that were looked at are different from all others, as a share."""
        return len(set(self.sample)) / max(len(self.sample), 1)


def _alike(quantities: Sequence[Quantity]) -> bool:
    """Whether the units are those of one column: names that begin with a number have one each."""
    units = {found.unit for found in quantities if found.unit}
    return len(units) <= max(3, 0.2 * len(quantities))


def columns_of(table: Table) -> tuple[Column, ...]:
    """The columns of a table, those without a header too."""
    width = max((len(table.headers), *map(len, table.rows)), default=0)
    return tuple(Column(table, index) for index in range(width))


def key_column(columns: Sequence[Column]) -> int:
    """The column that says what a row is about: the first of texts that are mostly different, codes only if need be."""
    texts = [column for column in columns if column.kind == "text" and column.sample]
    full = [c for c in texts if len(c.sample) >= 0.5 * min(len(c.cells), _LOOKED_AT)]
    for coded in (False, True):
        for least in (0.8, 0.5):
            for column in full:
                if column.distinct >= least and column.is_code <= coded:
                    return column.index
    return texts[0].index if texts else 0


def total_rows(columns: Sequence[Column]) -> NDArray[np.bool_]:
    """Which rows sum up the others: they say so in one of the first two columns, or one text stands in both.

    A cell over two columns, where few rows have one, is not about one of the things that the table is about.
    """
    if not columns:
        return np.zeros(0, dtype=bool)
    totals = np.zeros(len(columns[0].cells), dtype=bool)
    first = [column for column in columns[:2] if column.kind != "number"]
    for column in first:
        totals |= _marked(_TOTAL.fullmatch(cell.strip()) is not None for cell in column.cells)
        totals |= _groups(column, columns)
    if len(first) == 2:
        across = _marked(one == two != "" for one, two in zip(first[0].cells, first[1].cells, strict=True))
        if across.sum() <= _MOST_ACROSS * len(across):
            totals |= across
    return totals


def _groups(column: Column, columns: Sequence[Column]) -> NDArray[np.bool_]:
    """The rows of the whole world or country, whose numbers none exceeds, and of its parts where these are few."""
    words = frozenset(lexicon().columns["whole"])
    begin = {word[:2] for word in words}
    names = dict.fromkeys(column.cells)
    # To stem the names of 200,000 rows takes seconds.
    whole = {name for name in names if (text := fold(name.strip()))[:2] in begin and stem(text) in words}
    if not whole:
        return np.zeros(len(column.cells), dtype=bool)
    numbers = [c for c in columns if c.kind == "number" and not (c.is_rank or c.is_index)]
    of_it = _marked(cell in whole for cell in column.cells)
    if not any(_exceeds(other.values, of_it) for other in numbers):
        return np.zeros(len(of_it), dtype=bool)
    of_parts = frozenset(lexicon().columns["groups"])
    parts = {
        name for name in names if (stems := stems_of(_ACRONYM.sub(" ", name))) and of_parts.issuperset(stems)
    }
    if 2 * len(parts | whole) > len(names):
        return of_it
    return _marked(cell in whole or cell in parts for cell in column.cells)


def _exceeds(values: NDArray[np.float64], rows: NDArray[np.bool_]) -> bool:
    """Whether the largest value is in these rows, and others have one too."""
    inside, outside = (values[some & ~np.isnan(values)] for some in (rows, ~rows))
    return bool(inside.size and outside.size and inside.max() > outside.max())


def _marked(rows: Iterable[bool]) -> NDArray[np.bool_]:
    return np.fromiter(rows, dtype=bool)

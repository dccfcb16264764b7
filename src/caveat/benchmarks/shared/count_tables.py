"""Tables of counts, as the papers print them: named, with columns, for the terminal, JSON and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from statistics import median

import msgspec

Cell = str | int | float | None


class Table(msgspec.Struct, frozen=True):
    """A table; the first column names the row."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Histogram(msgspec.Struct, frozen=True):
    """Values and how often each occurs: what a picture of the data shows."""

    name: str
    unit: str
    counts: dict[str, int]


class Tables(msgspec.Struct, frozen=True):
    """All that `caveat stats` says of a file: the headline counts, the paper's tables, what to plot."""

    task: str
    counts: dict[str, int | float | None]
    tables: tuple[Table, ...] = ()
    histograms: tuple[Histogram, ...] = ()

    def counts_shown(self) -> list[tuple[str, Cell]]:
        """The headline counts as rows of a table, their names in words."""
        return [(name.replace("_", " "), value) for name, value in self.counts.items()]


def mean(values: Sequence[float] | Iterable[float]) -> float | None:
    """The mean, or None of nothing."""
    values = list(values)
    return sum(values) / len(values) if values else None


def share(part: int, whole: int) -> float | None:
    """A percentage, or None of nothing."""
    return 100.0 * part / whole if whole else None


SUMMARY = ("", "number", "mean", "median", "max")
"""The columns of the rows that `summary` makes."""


def summary(name: str, values: Sequence[int]) -> tuple[Cell, ...]:
    """A row on lengths or counts: how many there are, their mean, median and maximum."""
    if not values:
        return name, 0, None, None, None
    return name, len(values), mean(values), float(median(values)), max(values)


def shares(counts: Iterable[tuple[str, int]], whole: int) -> tuple[tuple[Cell, ...], ...]:
    """Rows of a name, its count, and the percentage that this is of the whole."""
    return tuple((name, count, share(count, whole)) for name, count in counts)


def ranked(counts: dict[str, int]) -> list[tuple[str, int]]:
    """Counts, the most frequent first; equal ones by name, so that the order does not hang on the file's."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


# Few enough for every bar to carry its label.
_MOST = 16
# What lies above this percentile must not squeeze the rest into two bars.
_TAIL = 99


def histogram(name: str, unit: str, values: Iterable[int]) -> Histogram:
    """A histogram of lengths or counts."""
    return Histogram(name, unit, in_bins(values))


def in_bins(values: Iterable[int]) -> dict[str, int]:
    """Bins of one width (1, 2, 5, 10, 20 …) with counts, empty ones too; the last may be open, "200+"."""
    ordered = sorted(values)
    if not ordered:
        return {}
    # Nearest rank, in whole numbers: the smallest value with at least 99 in 100 at or below it.
    top = ordered[-(-len(ordered) * _TAIL // 100) - 1]
    width = next(width for width in _widths() if top // width - ordered[0] // width < _MOST)
    first, last = ordered[0] // width, top // width
    if ordered[-1] // width - first < _MOST:
        last = ordered[-1] // width
    found = Counter(value // width for value in ordered)
    bins = {_label(index, width): found[index] for index in range(first, last + 1)}
    if tail := sum(number for index, number in found.items() if index > last):
        bins[f"{(last + 1) * width}+"] = tail
    return bins


def _widths() -> Iterator[int]:
    for power in count():
        for digit in (1, 2, 5):
            yield digit * 10**power


def _label(index: int, width: int) -> str:
    return str(index) if width == 1 else f"{index * width}–{(index + 1) * width - 1}"

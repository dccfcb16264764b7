"""Tables of counts, as the papers print them: named, with columns, for the terminal, JSON and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

import msgspec

__all__ = [
    "SUMMARY",
    "Cell",
    "Histogram",
    "Table",
    "Tables",
    "mean",
    "ranked",
    "share",
    "shares",
    "summary",
]

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

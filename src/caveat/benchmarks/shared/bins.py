"""Whole numbers in bins that a picture can show: round widths, no gaps, a long tail in one bin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count

from caveat.benchmarks.shared.count_tables import Histogram

__all__ = ["histogram", "in_bins"]

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

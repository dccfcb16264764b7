"""Measuring: two things in the same run, in turns, so that a busy machine slows both alike."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from time import perf_counter
from typing import Any

import msgspec

Cell = str | int | float | None
# What shows progress: the items as they come, and how many there are.
Watch = Callable[[Iterable[Any], int], Iterable[Any]]


class Ratio(msgspec.Struct, frozen=True):
    """Median times of both, and the median, smallest and largest ratio over the repeats."""

    plain: float
    ours: float
    ratio: float
    smallest: float
    largest: float


class Measured(msgspec.Struct, frozen=True):
    """A benchmark's result, as a table and as figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


def compare(plain: Callable[[], object], ours: Callable[[], object], repeats: int) -> Ratio:
    """Warm both up once, then time them in turns."""
    ours()
    return ratio_of([(_time(plain), _time(ours)) for _ in range(repeats)])


def ratio_of(pairs: Sequence[tuple[float, float]]) -> Ratio:
    """Times, each of the other and of ours in the same repeat, as a ratio."""
    ratios = [slow / fast for slow, fast in pairs]
    return Ratio(
        median(slow for slow, _ in pairs),
        median(fast for _, fast in pairs),
        median(ratios),
        min(ratios),
        max(ratios),
    )


def in_ratio(others: Sequence[float], ours: Sequence[float]) -> tuple[str, str | None]:
    """The ratio of the others' times to ours as a table shows it, and its spread if there are several repeats."""
    ratio = ratio_of(list(zip(others, ours, strict=True)))
    return f"{ratio.ratio:.1f}×", f"{ratio.smallest:.1f}–{ratio.largest:.1f}×" if len(ours) > 1 else None


def in_time(seconds: float) -> str:
    """A time as a table shows it."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.2f} ms"


def _time(action: Callable[[], object]) -> float:
    gc.collect()
    begin = perf_counter()
    action()
    return perf_counter() - begin

"""The benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from caveat.bench.measure import Measured
from caveat.errors import UnknownNameError

__all__ = ["bench"]

Watch = Callable[[Iterable[Any], int], Iterable[Any]]


def bench(
    name: str,
    *,
    repeats: int | None = None,
    megabytes: int = 1024,
    watch: Watch = lambda items, total: items,
    **of_reader: Any,
) -> Measured:
    """Run the benchmark of that name; `of_reader` is what `bench_reader` takes beside these."""
    if name == "metrics":
        from caveat.bench.metrics import bench_metrics

        return bench_metrics(repeats or 5, watch)
    if name == "reader":
        from caveat.bench.reader import bench_reader

        return bench_reader(repeats=repeats or 3, watch=watch, **of_reader)
    if name == "reading":
        from caveat.bench.reading import bench_reading

        return bench_reading(megabytes, watch)
    raise UnknownNameError("benchmark", name, ["metrics", "reader", "reading"])

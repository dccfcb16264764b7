"""The benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from caveat.bench.measure import Measured
from caveat.errors import UnknownNameError

__all__ = ["bench"]

Watch = Callable[[Iterable[Any], int], Iterable[Any]]


def bench(
    name: str, *, repeats: int = 5, megabytes: int = 1024, watch: Watch = lambda items, total: items
) -> Measured:
    """Run the benchmark of that name."""
    if name == "metrics":
        from caveat.bench.metrics import bench_metrics

        return bench_metrics(repeats, watch)
    if name == "reading":
        from caveat.bench.reading import bench_reading

        return bench_reading(megabytes, watch)
    raise UnknownNameError("benchmark", name, ["metrics", "reading"])

"""The benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from caveat.bench.measure import Measured
from caveat.core.errors import UnknownNameError, UsageError

__all__ = ["bench"]

Watch = Callable[[Iterable[Any], int], Iterable[Any]]


def bench(
    name: str,
    *,
    repeats: int | None = None,
    megabytes: int = 1024,
    triples: str = "1000000,10000000",
    pairs: int = 1000,
    passages: int = 10,
    questions: int | None = None,
    watch: Watch = lambda items, total: items,
    **of_reader: Any,
) -> Measured:
    """Run the benchmark of that name; `of_reader` is what `bench_reader` takes beside these, others partly."""
    if name == "knowledge":
        from caveat.bench.knowledge import bench_knowledge

        return bench_knowledge(_sizes(triples), watch)
    if name == "long-texts":
        from caveat.bench.long_texts import bench_long_texts

        return bench_long_texts(
            data=of_reader.get("data", {}),
            models=of_reader.get("models", {}),
            passages=passages,
            questions=questions or 200,
            repeats=repeats or 3,
            watch=watch,
        )
    if name == "metrics":
        from caveat.bench.metrics import bench_metrics

        return bench_metrics(repeats or 5, watch)
    if name == "ranking":
        from caveat.bench.ranking import PEERS, bench_ranking

        return bench_ranking(
            repeats=repeats or 3,
            pairs=pairs,
            data=of_reader.get("data", {}),
            models=of_reader.get("models", {}),
            peers={peer: python for peer, python in of_reader.get("peers", {}).items() if peer in PEERS},
            watch=watch,
        )
    if name == "reader":
        from caveat.bench.reader import bench_reader

        return bench_reader(repeats=repeats or 3, questions=questions or 500, watch=watch, **of_reader)
    if name == "reading":
        from caveat.bench.reading import bench_reading

        return bench_reading(megabytes, watch)
    if name == "structure":
        from caveat.bench.structure import bench_structure

        return bench_structure(
            of_reader.get("data", {}).get("zh"),
            model=of_reader.get("models", {}).get("zh"),
            samples=questions or 50,
            repeats=repeats or 3,
            watch=watch,
        )
    known = ["knowledge", "long-texts", "metrics", "ranking", "reader", "reading", "structure"]
    raise UnknownNameError("benchmark", name, known)


def _sizes(text: str) -> list[int]:
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise UsageError(
            f"--triples takes whole numbers with commas between, such as 1000000,10000000; got {text!r}."
        )
    return sorted(set(sizes))

"""Building and asking an index of generated triples, at several sizes, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Any

import msgspec

from caveat.bench.contenders.memory import peak_kilobytes
from caveat.bench.generated_kb import Asked, generate_kb
from caveat.bench.measure import Measured, in_time

__all__ = ["Asking", "Building", "ask", "bench_knowledge", "build"]

Watch = Callable[[Iterable[Any], int], Iterable[Any]]

# The knowledge base of NLPCC's task.
_ON_PAPER = 43_063_796
_RUN = "import sys; from caveat.bench import knowledge; knowledge.{}(*sys.argv[1:])"


class Building(msgspec.Struct, frozen=True):
    """What building took."""

    triples: int
    entities: int
    bytes: int
    seconds: float
    peak: int


class Asking(msgspec.Struct, frozen=True):
    """Median and 95th percentile of the seconds that one look-up takes, by its name; the peak memory."""

    seconds: dict[str, tuple[float, float]]
    peak: int


def bench_knowledge(sizes: Sequence[int], watch: Watch = lambda items, total: items) -> Measured:
    """Generate a knowledge base of each size, index it, look things up."""
    measured: list[tuple[int, Building, Asking]] = []
    with tempfile.TemporaryDirectory(prefix="caveat-bench-") as folder:
        place = Path(folder)
        for size in watch(sizes, len(sizes)):
            asked = generate_kb(place / "kb", size)
            line = (place / "kb").stat().st_size / size
            built = msgspec.json.decode(_run("build", place / "kb", place / "index"), type=Building)
            (place / "kb").unlink()
            (place / "asked").write_bytes(msgspec.json.encode(asked))
            found = msgspec.json.decode(_run("ask", place / "index", place / "asked"), type=Asking)
            measured.append((size, built, found))
    return Measured(
        "An index of generated triples",
        ("", *(f"{size:,} triples" for size, _, _ in measured), *_further_columns(len(measured))),
        tuple(_rows(measured)),
        (
            f"A line of the generated files has {line:.0f} bytes. Building and asking are processes of their own; "
            "peak memory is the whole process's, interpreter included, and of asking mostly pages of the index. "
            "The files are in the system's cache.",
        ),
    )


def _further_columns(sizes: int) -> tuple[str, ...]:
    return ("growth", f"{_ON_PAPER:,} on paper") if sizes > 1 else ()


def _rows(measured: Sequence[tuple[int, Building, Asking]]) -> Iterable[tuple[str, ...]]:
    sizes = [size for size, _, _ in measured]

    def row(
        name: str, values: Sequence[float], shown: Callable[[float], str], grows: bool
    ) -> tuple[str, ...]:
        cells = [name, *map(shown, values)]
        if len(values) > 1:
            cells.append(f"{values[-1] / values[0]:.1f}×" if values[0] else "–")
            cells.append(shown(on_a_line(sizes, values)) if grows else "–")
        return tuple(cells)

    built = [building for _, building, _ in measured]
    yield row("build", [each.seconds for each in built], in_time, True)
    yield row(
        "triples a second", [each.triples / each.seconds for each in built], lambda n: f"{n:,.0f}", False
    )
    yield row("peak memory of building", [each.peak for each in built], _in_megabytes, True)
    yield row("index", [each.bytes for each in built], _in_megabytes, True)
    yield row("bytes a triple", [each.bytes / each.triples for each in built], lambda n: f"{n:.1f}", False)
    for name in measured[0][2].seconds:
        for which, label in enumerate(("median", "95th percentile")):
            values = [asking.seconds[name][which] for _, _, asking in measured]
            yield row(f"{name}, {label}", values, lambda seconds: f"{1000 * seconds:.3f} ms", False)
    yield row("peak memory of asking", [asking.peak for _, _, asking in measured], _in_megabytes, False)


def on_a_line(sizes: Sequence[int], values: Sequence[float]) -> float:
    """What the task's knowledge base would take if it goes on from the largest size as from the smallest to it."""
    slope = (values[-1] - values[0]) / (sizes[-1] - sizes[0])
    return values[-1] + slope * (_ON_PAPER - sizes[-1])


def _in_megabytes(size: float) -> str:
    return f"{size / (1 << 20):,.0f} MB"


def _run(function: str, *arguments: Path) -> str:
    command = [sys.executable, "-c", _RUN.format(function), *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def build(kb: str, index: str) -> None:
    """Index a file and print what it took; the work of a process of its own."""
    from caveat.answerers.knowledge.index.build import build_index

    done = build_index([kb], index)
    _print(Building(done.triples, done.entities, done.bytes, done.seconds, peak_kilobytes() << 10))


def ask(index: str, asked: str) -> None:
    """Look up what is asked for, one after the other, and print how long each took."""
    from caveat.answerers.knowledge.index.store import KnowledgeStore

    everything = msgspec.json.decode(Path(asked).read_bytes(), type=list[Asked])
    store = KnowledgeStore.open(index)
    questions = [f"{each.name}的{each.predicate}是什么？" for each in everything]
    wrong = [f"{each.name[0]}々{each.name[2:]}的{each.predicate}是什么？" for each in everything]
    work: list[tuple[str, Callable[[str], object], list[str]]] = [
        ("attributes", store.attributes, [each.entity for each in everything]),
        ("mentions", store.mentions, questions),
        ("mentions, name misspelt", store.mentions, wrong),
    ]
    _print(Asking({name: _timed(action, items) for name, action, items in work}, peak_kilobytes() << 10))


def _timed(action: Callable[[str], object], items: Sequence[str]) -> tuple[float, float]:
    action(items[0])  # loads what is loaded once
    seconds = []
    for item in items:
        begin = perf_counter()
        action(item)
        seconds.append(perf_counter() - begin)
    cuts = quantiles(seconds, n=20, method="inclusive") if len(seconds) > 1 else seconds * 19
    return cuts[9], cuts[18]


def _print(record: msgspec.Struct) -> None:
    print(msgspec.json.encode(record).decode())

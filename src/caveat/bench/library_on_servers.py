"""How a library on servers grows: generated ones of more and more passages, written and searched at an address."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, sleep
from typing import Any

from caveat.bench.measure import Cell, Measured, Watch, in_time
from caveat.bench.questions import write_generated
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.library.library import Library
from caveat.library.qdrant.nodes import Nodes, parse_address

_TOP = 10
_PAUSE = 0.5
# What `stat` counts in.
_BLOCK = 512
_COLUMNS = (
    *(
        "passages",
        "text",
        "written in",
        "a second",
        "of the writer's processor",
        "settled in",
        "disk to text",
    ),
    *("the server's memory", "nothing new in", "search", "95 %"),
)


def bench_library_on_servers(
    address: str,
    sizes: Sequence[int],
    questions: int = 200,
    storage: PathLike | None = None,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Make libraries of so many generated passages at an address, each with its size in its name, and delete them.

    Where `storage` is the folder that the server keeps everything in, what is on its disk is measured as well.
    """
    rows = [_measured(address, size, questions, storage) for size in watch(sizes, len(sizes))]
    notes = (
        "Written by one process, in batches that are acknowledged before the next. Settled: until the server has "
        "optimised what was written. The server's memory is its heap, without the files that it maps. Searches are by "
        "the clock, one after the other.",
    )
    return Measured("Libraries of generated passages on a server", _COLUMNS, tuple(rows), notes)


def _measured(address: str, size: int, questions: int, storage: PathLike | None) -> tuple[Cell, ...]:
    head, mark, options = address.partition("?")
    where = f"{head}-{size}{mark}{options}"
    nodes = Nodes(parse_address(where))
    name = nodes.address.name
    if nodes.ask(lambda client: client.collection_exists(name)):
        raise UsageError(f"{head}-{size} is there already: choose another name.")
    with tempfile.TemporaryDirectory(prefix="caveat-") as place:
        folder = Path(place, "texts")
        asked = write_generated(folder, size)
        try:
            library = Library.create(where)
            begin, processor = perf_counter(), process_time()
            added = library.add([folder], processes=1)
            seconds, processor = perf_counter() - begin, process_time() - processor
            begin = perf_counter()
            while nodes.ask(lambda client: client.get_collection(name)).status != "green":
                sleep(_PAUSE)
            settled = perf_counter() - begin
            begin = perf_counter()
            library.add([folder], processes=1)
            unchanged = perf_counter() - begin
            times = _times(library, asked[:questions])
            memory = _memory(nodes)
            kept = (
                "–"
                if storage is None
                else f"{_on_disk(Path(storage, 'collections', name)) / added.bytes:.2f}×"
            )
        finally:
            nodes.ask(lambda client: client.delete_collection(name))
    return (
        added.passages,
        f"{added.bytes / 1e6:.0f} MB",
        in_time(seconds),
        f"{added.passages / seconds:,.0f}",
        f"{added.passages / processor:,.0f}",
        in_time(settled),
        kept,
        f"{memory / (1 << 20):.0f} MB",
        in_time(unchanged),
        in_time(median(times)),
        in_time(times[int(0.95 * len(times))]),
    )


def _times(library: Library, asked: Sequence[str]) -> list[float]:
    state = library.state()
    state.find(asked[0], "document", _TOP)
    times = []
    for question in asked:
        begin = perf_counter()
        state.find(question, "document", _TOP)
        times.append(perf_counter() - begin)
    return sorted(times)


def _on_disk(folder: Path) -> int:
    """Bytes that files take; some are longer than what is in them."""
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not there: --storage is the folder that the server keeps everything in."
        )
    return sum(path.stat().st_blocks * _BLOCK for path in folder.rglob("*") if path.is_file())


def _memory(nodes: Nodes) -> int:
    """The heap of the server that answers."""

    def telemetry(client: Any) -> Any:
        return client.http.service_api.telemetry(details_level=1)

    found = nodes.ask(telemetry).result.memory
    return int(found.resident_bytes) if found is not None else 0

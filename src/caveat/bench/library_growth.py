"""How a library grows: generated ones of more and more passages, made and searched, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

from caveat.bench.measure import Cell, Measured, Watch, in_time
from caveat.core.errors import CaveatError

__all__ = ["bench_library_growth"]

_SCRIPT = """
import json, resource, sys, tempfile, time
from pathlib import Path
from statistics import median
from caveat.bench.library_texts import write_generated
from caveat.library.library import Library

with tempfile.TemporaryDirectory(prefix="caveat-") as place:
    folder = Path(place, "texts")
    asked = write_generated(folder, int(sys.argv[1]))
    library = Library.create(Path(place, "library"))
    begin, processor = time.perf_counter(), time.process_time()
    added = library.add([folder], processes=1)
    seconds, processor = time.perf_counter() - begin, time.process_time() - processor
    writing = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = sum(path.stat().st_size for path in library.folder.rglob("*") if path.is_file())
    begin = time.perf_counter()
    again = library.add([folder], processes=1)
    unchanged = time.perf_counter() - begin
    state = library.state()
    state.find(asked[0], "document", 10)
    times = []
    for question in asked[:200]:
        begin = time.process_time()
        state.find(question, "document", 10)
        times.append(time.process_time() - begin)
    print(json.dumps([added.passages, added.bytes, seconds, processor, size, unchanged, median(times),
                      sorted(times)[int(0.95 * len(times))], writing]))
"""


def bench_library_growth(sizes: Sequence[int], watch: Watch = lambda items, total: items) -> Measured:
    """Make libraries of so many generated passages: time, bytes, memory, and how long a search takes."""
    rows: list[tuple[Cell, ...]] = []
    for size in watch(sizes, len(sizes)):
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT, str(size)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CaveatError(f"A library of {size:,} passages could not be made: {done.stderr[-500:]}")
        passages, text, seconds, processor, kept, unchanged, typical, late, memory = json.loads(done.stdout)
        rows.append(
            (
                int(passages),
                f"{text / 1e6:.0f} MB",
                in_time(seconds),
                f"{passages / processor:,.0f}",
                f"{kept / text:.2f}×",
                in_time(unchanged),
                in_time(typical),
                in_time(late),
                f"{memory / 1024:.0f} MB",
            )
        )
    columns = (
        *("passages", "text", "indexed in", "a second of processor time", "bytes to text", "nothing new in"),
        *("search", "95 %", "peak memory"),
    )
    return Measured("Libraries of generated passages", columns, tuple(rows))

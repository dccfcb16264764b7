"""Peak memory and throughput of reading large files, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import msgspec

from caveat.bench.measure import Measured, Watch

_READ = """
import sys, time
from caveat.bench.contenders.request_lines import peak_kilobytes
from caveat.benchmarks.nlpcc import dbqa_format as dbqa
from caveat.sources.triple_lines import read_triples
begin = time.perf_counter()
count = sum(1 for _ in {reader}(sys.argv[1]))
seconds = time.perf_counter() - begin
print('{{"records": %d, "seconds": %f, "kilobytes": %d}}' % (count, seconds, peak_kilobytes()))
"""


class _Figures(msgspec.Struct):
    records: int
    seconds: float
    kilobytes: int


def bench_reading(megabytes: int = 1024, watch: Watch = lambda items, total: items) -> Measured:
    """Generate a knowledge base and a DBQA file of the given size and read each once."""
    benches = [
        ("knowledge base", "read_triples", _triples),
        ("DBQA pairs", "dbqa.read", _pairs),
    ]
    rows: list[tuple[str | int | float, ...]] = []
    with tempfile.TemporaryDirectory(prefix="caveat-bench-") as folder:
        for name, reader, lines in watch(benches, len(benches)):
            path = Path(folder) / "data"
            _write(path, lines(), megabytes << 20)
            done = subprocess.run(
                [sys.executable, "-c", _READ.format(reader=reader), str(path)],
                check=True,
                capture_output=True,
                text=True,
            )
            found = msgspec.json.decode(done.stdout, type=_Figures)
            rows.append(
                (
                    f"{name}, {megabytes:,} MB",
                    found.records,
                    f"{found.seconds:.1f} s",
                    f"{found.records / found.seconds:,.0f}",
                    f"{found.kilobytes / 1024:.0f} MB",
                )
            )
            path.unlink()
    return Measured(
        "Reading large files as a stream",
        ("file", "records", "time", "records a second", "peak memory"),
        tuple(rows),
        ("Peak memory is the whole process's, interpreter included.",),
    )


def _write(path: Path, lines: list[str], size: int) -> None:
    # One block of a few megabytes of lines, over and over: to reading it makes no difference.
    block = "".join(lines).encode("utf-8")
    with open(path, "wb") as out:
        for _ in range(max(1, size // len(block))):
            out.write(block)


def _name(random: Random, longest: int) -> str:
    return "".join(chr(random.randint(0x4E00, 0x5FFF)) for _ in range(random.randint(2, longest)))


def _triples() -> list[str]:
    random = Random(43)
    return [f"{_name(random, 8)} ||| {_name(random, 4)} ||| {_name(random, 14)}\n" for _ in range(50_000)]


def _pairs() -> list[str]:
    random = Random(44)
    lines = []
    for _ in range(2_000):
        question = _name(random, 16) + "？"
        lines += [f"{question}\t{_name(random, 60)}。\t{int(number == 3)}\n" for number in range(12)]
    return lines

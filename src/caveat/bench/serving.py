"""`caveat serve` under load: clients that ask without a pause, beside the same questions asked at once in Python."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from itertools import count
from statistics import median, quantiles
from threading import Event
from time import perf_counter, process_time

import msgspec

from caveat.answerers.engine import load
from caveat.bench.measure import Measured
from caveat.bench.questions import generate_questions, read_questions
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.core.json_files import encode
from caveat.core.languages import Language
from caveat.core.records import Document
from caveat.language.packs.en import ENGLISH
from caveat.serve.bodies import AskBody, InlineSource

# What the server keeps is there by then; what it takes afterwards is growth.
_SETTLED = 10.0
# Seconds between two looks at the server's memory.
_LOOK = 1.0


class _Load(msgspec.Struct, frozen=True):
    """What the clients saw: seconds of each request, what failed, and the server's memory while they asked."""

    seconds: float
    latencies: list[float]
    errors: list[str]
    # Seconds since the beginning, and bytes.
    memory: list[tuple[float, float]]
    # Of the server's processor time.
    processor: float


def bench_serve(
    *,
    seconds: float = 60.0,
    clients: int = 16,
    questions: int = 256,
    data: Mapping[Language, PathLike] = {},
    models: Mapping[Language, PathLike] = {},
    threads: int | None = None,
) -> Measured:
    """So many clients for so long, each with the next question when its last one is answered.

    The questions, each on its own passage, are those of a file in SQuAD's layout, or made up. Before and after, they
    are asked at once with `Engine.ask_many`; both have read the passages before.
    """
    path = data.get(ENGLISH)
    asked = (
        read_questions(ENGLISH, path, questions)
        if path is not None
        else generate_questions(ENGLISH, questions)
    )
    own = [models[ENGLISH]] if ENGLISH in models else None
    engine = load(own, threads=threads)
    pairs = [
        (question, Document(text, url=f"{number}.txt")) for number, (question, text) in enumerate(asked.pairs)
    ]
    bodies = [
        encode(AskBody(question, sources=(InlineSource(document.url, document.text),))).encode()
        for question, document in pairs
    ]

    def together() -> tuple[float, float]:
        """Seconds that a question takes among all of them, by the clock and of the processor."""
        start, spent = perf_counter(), process_time()
        list(engine.ask_many(pairs))
        return (perf_counter() - start) / len(pairs), (process_time() - spent) / len(pairs)

    with _server(own, threads) as port:
        _ask(port, bodies, clients, once=True)
        together()
        before = together()
        load_ = _ask(port, bodies, clients, seconds)
        after = together()
    clock, processor = ((one + other) / 2 for one, other in zip(before, after, strict=True))
    return _measured(load_, clock, processor, clients, f"{len(pairs):,} questions of {asked.source}")


def _measured(load: _Load, together: float, processor: float, clients: int, what: str) -> Measured:
    if not load.latencies:
        raise CaveatError(f"No request was answered: {load.errors[0] if load.errors else 'no time'}.")
    rate = len(load.latencies) / load.seconds
    settled = [size for at, size in load.memory if at >= min(_SETTLED, load.seconds / 2)]
    growth = 100.0 * (settled[-1] / settled[0] - 1.0)
    latencies = sorted(load.latencies)
    late = quantiles(latencies, n=20)[-1] if len(latencies) > 1 else latencies[0]
    rows: list[tuple[str, str]] = [
        ("questions a second, Engine.ask_many", f"{1.0 / together:.1f}"),
        (f"questions a second, {clients} clients", f"{rate:.1f}"),
        ("ratio", f"{rate * together:.2f}"),
        ("processor time of a question, Engine.ask_many", f"{1000 * processor:.1f} ms"),
        ("processor time of a question, the server", f"{1000 * load.processor / len(load.latencies):.1f} ms"),
        ("requests", f"{len(latencies):,}"),
        ("errors", f"{len(load.errors):,}"),
        ("median of a request", f"{1000 * median(latencies):.0f} ms"),
        ("95th percentile", f"{1000 * late:.0f} ms"),
        ("memory, settled", f"{settled[0] / 1e6:.0f} MB"),
        ("memory, at the end", f"{settled[-1] / 1e6:.0f} MB"),
        ("growth", f"{growth:.1f} %"),
    ]
    notes = (
        f"{clients} clients for {load.seconds:.0f} s, {what}.",
        *dict.fromkeys(load.errors[:5]),
    )
    return Measured("caveat serve under load", ("", ""), tuple(rows), notes)


@contextmanager
def _server(models: Sequence[PathLike] | None, threads: int | None) -> Iterator[int]:
    """`caveat serve` in a process of its own, at a free port."""
    options = [
        *(f"--model={model}" for model in models or ()),
        *([f"--threads={threads}"] if threads else []),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "caveat", "serve", "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "CAVEAT_TOKEN"},
    )
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        listening = re.search(r":(\d+)/", said)
        if listening is None:
            raise CaveatError(f"The server did not start: {said.strip() or 'it said nothing'}")
        yield int(listening[1])
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def _ask(
    port: int, bodies: Sequence[bytes], clients: int, seconds: float = 0.0, *, once: bool = False
) -> _Load:
    """Clients in threads, over connections that stay; each question once, or again and again for so long."""
    numbers = count()
    done = Event()
    latencies: list[float] = []
    errors: list[str] = []
    memory: list[tuple[float, float]] = []
    spent = _figure(port, "process_cpu_seconds_total")
    start = perf_counter()

    def client() -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=300)
        while not done.is_set() and ((number := next(numbers)) < len(bodies) or not once):
            begin = perf_counter()
            try:
                connection.request("POST", "/ask", bodies[number % len(bodies)])
                response = connection.getresponse()
                said = response.read()
            except (OSError, HTTPException) as error:
                errors.append(f"{type(error).__name__}: {error}")
                connection.close()
                continue
            if response.status == 200:
                latencies.append(perf_counter() - begin)
            else:
                errors.append(said.decode("utf-8", "replace")[:200])
        connection.close()

    with ThreadPoolExecutor(clients) as pool:
        running = [pool.submit(client) for _ in range(clients)]
        while not once and perf_counter() - start < seconds:
            memory.append((perf_counter() - start, _figure(port, "process_resident_memory_bytes")))
            done.wait(min(_LOOK, max(0.0, seconds - (perf_counter() - start))))
        if not once:
            done.set()
        for each in running:
            each.result()
    took = perf_counter() - start
    memory.append((took, _figure(port, "process_resident_memory_bytes")))
    processor = _figure(port, "process_cpu_seconds_total") - spent
    return _Load(took, latencies, errors, memory, processor)


def _figure(port: int, name: str) -> float:
    """What the server says of itself."""
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    found = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0

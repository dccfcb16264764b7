"""How time grows with the length of inputs that were made to be slow: the exponent of each family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from math import log
from tempfile import TemporaryDirectory
from time import process_time

import msgspec

from caveat.answerers.engine import Engine, load
from caveat.bench.measure import Cell, Measured, Watch, in_time
from caveat.bench.pathological import FILES, QUESTIONS, SOURCES
from caveat.core.errors import CaveatError
from caveat.core.limits import Limits, limits
from caveat.core.records import Document, Reply
from caveat.sources.gather import Input
from caveat.sources.read import parse_file

__all__ = ["SIZES", "asking", "bench_faults", "exponent", "first_questions", "time_of"]

SIZES = (1_000, 10_000, 100_000, 1_000_000)
# A family that takes longer than this is not measured at greater lengths.
_LONGEST = 5.0
# Shorter times say more about the clock than about what is measured.
_SHORTEST = 0.002

_RULES = "You can apply if you are over 18.\n\nYou must pay £5 unless you are a student.\n"
_TOWNS = "Town,People,Founded\nArvo,340,1990-05-01\nRauma,5100,1700-01-02\n"
_TRIPLES = "青石桥 ||| 长度 ||| 46米\n青石桥 ||| 横跨 ||| 清水河\n"

Action = Callable[[], object]


def bench_faults(
    *, sizes: Sequence[int] = SIZES, repeats: int = 3, watch: Watch = lambda items, total: items
) -> Measured:
    """Measure reading files of each family, asking questions and telling scenarios of each, and first questions."""
    families: list[tuple[str, Callable[[int], Action]]] = [
        (name, _reading(file, make)) for name, (file, make) in FILES.items()
    ]
    with TemporaryDirectory(prefix="caveat-") as folder:
        engine = load(threads=1)
        families += asking(engine, folder) + first_questions(engine)
        rows = [_row(name, make, sizes, repeats) for name, make in watch(families, len(families))]
    worst = max((row[-1] for row in rows if isinstance(row[-1], float)), default=0.0)
    most = Limits()
    notes = (
        f"Processor time, the least of {repeats} repeats; the exponent is that of the two greatest lengths which took "
        f"{1000 * _SHORTEST:.0f} ms or more. 1 is linear, 2 quadratic; the greatest is {worst:.2f}.",
        f"A length that took more than {_LONGEST:.0f} s is the last of its family. Questions beyond {most.question:,} "
        f"characters and scenarios beyond {most.scenario:,} are refused unless the limits are raised, as here.",
    )
    return Measured("Faults", ("", *(f"{size:,}" for size in sizes), "exponent"), tuple(rows), notes)


def _reading(file: str, make: Callable[[int], str]) -> Callable[[int], Action]:
    def at(size: int) -> Action:
        data = make(size).encode()
        return lambda: parse_file(data, file)

    return at


def asking(engine: Engine, folder: str) -> list[tuple[str, Callable[[int], Action]]]:
    """Questions of each family on rules, a table and triples, and scenarios: by name, what is done at a length."""
    sources: dict[str, Input] = {"rules": Document(_RULES)}
    for kind, name, text in (("table", "towns.csv", _TOWNS), ("triples", "bridges.kb", _TRIPLES)):
        sources[kind] = f"{folder}/{name}"
        with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
            out.write(text)
    for source in sources.values():
        engine.ask("How much is it?", source)

    def question(make: Callable[[int], str], source: Input) -> Callable[[int], Action]:
        return lambda size: lambda: engine.ask(make(size), source)

    def scenario(make: Callable[[int], str]) -> Callable[[int], Action]:
        return lambda size: lambda: engine.ask("Can I apply?", sources["rules"], scenario=make(size))

    asked = [
        (f"Question on {kind}: {name}", question(make, source))
        for kind, source in sources.items()
        for name, make in QUESTIONS.items()
    ]
    return asked + [(f"Scenario: {name}", scenario(make)) for name, make in QUESTIONS.items()]


def first_questions(engine: Engine) -> list[tuple[str, Callable[[int], Action]]]:
    """The first question on a file of each family: by name, what is done at a length."""
    new = count()

    def asked(question: str, file: str, make: Callable[[int], str]) -> Callable[[int], Action]:
        def at(size: int) -> Action:
            data = make(size).encode()

            def act() -> Reply:
                document, tables = parse_file(data, file)[:2]
                if document is None:
                    return engine.ask(question, *(each.table for each in tables))
                # A document that was asked before is kept prepared.
                return engine.ask(question, msgspec.structs.replace(document, title=f"file {next(new)}"))

            return act

        return at

    return [(f"First question: {name}", asked(*family)) for name, family in SOURCES.items()]


def _row(name: str, make: Callable[[int], Action], sizes: Sequence[int], repeats: int) -> tuple[Cell, ...]:
    times: list[float] = []
    time_of(make(sizes[0]), 1)  # what is loaded when it is first needed is no part of it
    for size in sizes:
        # Asking costs more than reading, and a question is never so long.
        if not name.startswith(("Question", "Scenario")) or size <= 10 * Limits().question:
            times.append(time_of(make(size), repeats))
            if times[-1] > _LONGEST:
                break
    found = exponent(sizes, times)
    shown = [in_time(time) for time in times] + [None] * (len(sizes) - len(times))
    return name, *shown, found


def time_of(action: Action, repeats: int) -> float:
    """The least processor time of several repeats; to be refused is an answer too. A slow one is not repeated."""
    times: list[float] = []
    with limits(question=1 << 30, scenario=1 << 30):
        for _ in range(repeats):
            begin = process_time()
            with suppress(CaveatError):
                action()
            times.append(process_time() - begin)
            if times[-1] > 1:
                break
    return min(times)


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float | None:
    """With which power of the length the time grew last; None where all of it was too short to say."""
    known = [(size, time) for size, time in zip(sizes, times, strict=False) if time >= _SHORTEST]
    if len(known) < 2:
        return None
    (shorter, less), (longer, more) = known[-2:]
    return round(log(more / less) / log(longer / shorter), 2)

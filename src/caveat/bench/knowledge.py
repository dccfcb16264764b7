"""Building and asking an index of generated triples, at several sizes, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter

import msgspec

from caveat.bench.contenders.request_lines import peak_kilobytes
from caveat.bench.measure import Measured, Watch, in_time
from caveat.bench.questions import SYLLABLES

# 43 million triples about 6.5 million entities with 588 thousand predicates, as the task's knowledge base has.
_TRIPLES_AN_ENTITY = 6.6
_TRIPLES_A_PREDICATE = 73
_ASKED = 2_000

# The knowledge base of NLPCC's task.
_ON_PAPER = 43_063_796
_RUN = "import sys; from caveat.bench import knowledge; knowledge.{}(*sys.argv[1:])"


class Lookup(msgspec.Struct, frozen=True):
    """An entity of the knowledge base, its name as a question has it, and one of its predicates."""

    entity: str
    name: str
    predicate: str


def generate_kb(path: Path, triples: int, seed: int = 43) -> list[Lookup]:
    """Write a file of triples in NLPCC's format; returns entities to ask for, spread evenly over it."""
    random = Random(seed)
    words = _Words(random, max(200, triples // _TRIPLES_A_PREDICATE))
    asked: list[Lookup] = []
    apart = max(1, triples // _ASKED)
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        written = 0
        while written < triples:
            name = words.name()
            entity = f"{name}（{words.phrase()}）" if random.random() < 0.15 else name
            count = min(1 + int(random.expovariate(1 / (_TRIPLES_AN_ENTITY - 1))), triples - written)
            lines = [(words.predicate(), words.object()) for _ in range(count)]
            out.writelines(f"{entity} ||| {predicate} ||| {object}\n" for predicate, object in lines)
            if written // apart != (written + count) // apart:
                asked.append(Lookup(entity, name, lines[0][0]))
            written += count
    return asked


class _Words:
    """Names, predicates and values put together from pieces that are made once."""

    def __init__(self, random: Random, predicates: int) -> None:
        self._random = random
        self._characters = [chr(0x4E00 + random.randrange(0x5000)) for _ in range(3_000)]
        # Two thirds of the names in Chinese have two or three characters a part.
        self._pieces = [self._han(2 + (number % 3 == 0)) for number in range(60_000)]
        self._latin = ["".join(random.choices(SYLLABLES, k=3)).capitalize() for _ in range(5_000)]
        self._predicates = list(dict.fromkeys(self._han(2 + number % 4) for number in range(predicates)))
        self._common = random.choices(self._pieces, k=2_000)
        self._values = [self._value() for _ in range(100_000)]

    def _han(self, length: int) -> str:
        # Some characters are far more frequent than others.
        most = len(self._characters)
        return "".join(self._characters[int(most ** self._random.random()) - 1] for _ in range(length))

    def name(self) -> str:
        """Of four to six characters, some shorter, some longer, some in Latin letters."""
        random = self._random
        kind, pieces, latin = random.random(), self._pieces, self._latin
        if kind < 0.08:
            return f"{latin[int(random.random() * 5_000)]} {latin[int(random.random() * 5_000)]}"
        name = pieces[int(random.random() * 60_000)] + pieces[int(random.random() * 60_000)]
        return name if kind < 0.75 else name + pieces[int(random.random() * 60_000)]

    def phrase(self) -> str:
        """A few words, as they explain a name in brackets."""
        return "".join(self._random.choices(self._pieces, k=3))

    def predicate(self) -> str:
        """The first of the predicates far more often than the last."""
        return self._predicates[int(len(self._predicates) ** self._random.random()) - 1]

    def object(self) -> str:
        """A name, a value that many things have, a date or measure, a phrase, now and then a text."""
        random = self._random
        kind = random.random()
        if kind < 0.35:
            return self.name()
        if kind < 0.5:
            return self._common[int(random.random() * 2_000)]
        # Nearly every value is met once: a number makes it so.
        return f"{self._values[int(random.random() * 100_000)]}{int(random.random() * 10_000)}"

    def _value(self) -> str:
        random = self._random
        kind = random.random()
        if kind < 0.4:
            return f"{random.randint(1800, 2024)}年{random.randint(1, 12)}月"
        if kind < 0.9:
            return "".join(random.choices(self._pieces, k=random.randint(2, 5)))
        return "".join(random.choices(self._pieces, k=random.randint(10, 35)))


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


def bench_knowledge(
    triples: Sequence[int] = (1_000_000, 10_000_000), watch: Watch = lambda items, total: items
) -> Measured:
    """Generate a knowledge base of each size, index it, look things up."""
    measured: list[tuple[int, Building, Asking]] = []
    sizes = sorted(set(triples))
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
    """What the task's knowledge base would take if the growth from the smallest size to the largest went on."""
    slope = (values[-1] - values[0]) / (sizes[-1] - sizes[0])
    return values[-1] + slope * (_ON_PAPER - sizes[-1])


def _in_megabytes(size: float) -> str:
    return f"{size / (1 << 20):,.0f} MB"


def _run(function: str, *arguments: Path) -> str:
    command = [sys.executable, "-c", _RUN.format(function), *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def build(kb: str, index: str) -> None:
    """Index a file and print what it took; the work of a process of its own."""
    from caveat.library.triples.build import build_index

    done = build_index([kb], index)
    _print(Building(done.triples, done.entities, done.bytes, done.seconds, peak_kilobytes() << 10))


def ask(index: str, asked: str) -> None:
    """Look up what is asked for, one after the other, and print how long each took."""
    from caveat.library.triples.store import KnowledgeStore

    everything = msgspec.json.decode(Path(asked).read_bytes(), type=list[Lookup])
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

"""The benchmarks by name, and what each declares: tasks, formats, rules.

A benchmark is a folder here, found by being there, or a package from outside with an entry point; nothing of it but its
declaration is imported before it is asked for.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from caveat.core.errors import CaveatError, UnknownNameError
from caveat.core.loading import entry_points_of, load

if TYPE_CHECKING:
    from caveat.benchmarks.shared.span_prediction import SpanTask
    from caveat.benchmarks.task import DataSet, Task
    from caveat.core.files import PathLike


class Drops:
    """Questions left out, counted by reason, with the first few ids of each."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}

    def add(self, reason: str, id: object) -> None:
        """Count one question that is left out."""
        self.counts[reason] += 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < 3:
            examples.append(str(id))


class SourceFiles(NamedTuple):
    """The file to read and the companions some formats need."""

    data: PathLike
    documents: PathLike | None = None
    tables: PathLike | None = None


class Records(NamedTuple):
    """A stream of records of one kind, and what the file says beside them; None where it cannot say anything."""

    items: Iterable[Any]
    extra: dict[str, Any] | None = None


Reader = Callable[[SourceFiles, Drops], Records]
Writer = Callable[["PathLike", Records], None]
# From records of one kind to those of another, where the second can hold what the first says.
Bridge = Callable[[Records], Records]


class Format(NamedTuple):
    """One data format; one that is only read, or only written, has no other side.

    Formats whose records are of one kind convert into each other; `passages` is the kind that most bridges go by.
    """

    name: str
    summary: str
    kind: str
    read: Reader | None = None
    write: Writer | None = None
    # Which files beside the data it reads: `documents`, `tables`.
    companions: frozenset[str] = frozenset()
    # Whether a record is a question, or holds some; pairs, triples and tables are no questions.
    questions: bool = False


def records_of(read: Callable[[PathLike], Iterable[Any]]) -> Reader:
    """A reader of nothing but records, which drops none."""
    return lambda files, drops: Records(read(files.data))


def records_to(write: Callable[[PathLike, Iterable[Any]], None]) -> Writer:
    """A writer of nothing but records."""
    return lambda path, records: write(path, records.items)


def each_record(bridge: Callable[[Iterable[Any]], Iterator[Any]]) -> Bridge:
    """A bridge of nothing but records."""
    return lambda records: Records(bridge(records.items))


class Benchmark(NamedTuple):
    """Where the parts of a benchmark are, each as `module:name`, imported when it is first needed.

    A folder of `caveat.benchmarks` has one as `BENCHMARK` in its `__init__`; a package from outside names one in an
    entry point of the group `caveat.benchmarks`.
    """

    # Name → a Task.
    tasks: Mapping[str, str] = {}
    # Name → a DataSet: data that is no task of its own, but can be counted and checked.
    data_sets: Mapping[str, str] = {}
    # Name → a SpanTask, for the tasks whose answer is all spans of a text: what a tagger is trained and tuned on.
    span_tasks: Mapping[str, str] = {}
    # Each a sequence of Format.
    formats: tuple[str, ...] = ()
    # Each (kind, kind) → a step from records of one kind to those of another.
    bridges: tuple[str, ...] = ()
    # The rules of its checks, each name → one sentence on what it finds.
    rules: tuple[str, ...] = ()


GROUP = "caveat.benchmarks"
# Where names are listed these come first, in this order; the others follow by name.
_FIRST = ("mrqa", "squad", "cmrc2018", "cmqa", "multispan", "conditionalqa")

Name = TypeVar("Name")
Value = TypeVar("Value")


@cache
def built_in() -> tuple[Benchmark, ...]:
    """The declarations of the folders here."""
    import caveat.benchmarks as here

    # Not pkgutil, which takes longer to import than all of the folders.
    folders = {
        found.name
        for place in here.__path__
        for found in os.scandir(place)
        if os.path.isfile(os.path.join(found.path, "__init__.py"))
    }
    ordered = [*(name for name in _FIRST if name in folders), *sorted(folders.difference(_FIRST))]
    modules = (import_module(f"{here.__name__}.{name}") for name in ordered)
    return tuple(module.BENCHMARK for module in modules if hasattr(module, "BENCHMARK"))


@cache
def from_outside() -> tuple[Benchmark, ...]:
    """The declarations of other packages, in the order of their names."""
    found = []
    for _, point in sorted(entry_points_of(GROUP).items()):
        found.append(benchmark := point.load())
        if not isinstance(benchmark, Benchmark):
            raise CaveatError(f"The entry point {point.name} = {point.value} of {GROUP} is no Benchmark.")
    return tuple(found)


class Registered(Mapping[Name, Value]):
    """What the benchmarks declare, by name; those from outside are looked at where the folders have no such name."""

    def __init__(self, of: Callable[[Benchmark], Mapping[Name, Any]], value: Callable[[Any], Value]) -> None:
        self._of, self._value = of, value

    def __getitem__(self, key: Name) -> Value:
        # Chained, so that a name of a folder here does not cost a look at what else is installed.
        for benchmark in self._benchmarks():
            if key in (found := self._of(benchmark)):
                return self._value(found[key])
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return any(key in self._of(benchmark) for benchmark in self._benchmarks())

    def __iter__(self) -> Iterator[Name]:
        return iter(dict.fromkeys(chain.from_iterable(map(self._of, self._benchmarks()))))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @staticmethod
    def _benchmarks() -> Iterator[Benchmark]:
        yield from built_in()
        yield from from_outside()


@cache
def _loaded(homes: tuple[str, ...]) -> dict[Any, Any]:
    return {key: value for home in homes for key, value in load(home).items()}


@cache
def _formats(homes: tuple[str, ...]) -> dict[str, Format]:
    return {format.name: format for home in homes for format in load(home)}


def _itself(value: Value) -> Value:
    return value


TASKS: Mapping[str, Task] = Registered(lambda benchmark: benchmark.tasks, load)
DATA_SETS: Mapping[str, DataSet] = Registered(lambda benchmark: benchmark.data_sets, load)
FORMATS: Mapping[str, Format] = Registered(lambda benchmark: _formats(benchmark.formats), _itself)
BRIDGES: Mapping[tuple[str, str], Bridge] = Registered(lambda benchmark: _loaded(benchmark.bridges), _itself)
RULES: Mapping[str, str] = Registered(lambda benchmark: _loaded(benchmark.rules), _itself)
SPAN_TASKS: Mapping[str, SpanTask] = Registered(lambda benchmark: benchmark.span_tasks, load)


def task(name: str) -> Task:
    """The task of that name."""
    if name not in TASKS:
        raise UnknownNameError("task", name, list(TASKS))
    return TASKS[name]


def tasks_with(part: str, among: Iterable[Mapping[str, Any]] = (TASKS,)) -> list[str]:
    """The names of the tasks that have an optional part, such as an analysis."""
    return [name for names in among for name in names if getattr(names[name], part) is not None]

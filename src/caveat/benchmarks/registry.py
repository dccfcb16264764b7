"""The benchmarks by name: the folders here, and the packages that declare one by an entry point.

A folder is found by being there; nothing of it but its declaration is imported before it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from caveat.benchmarks.declaration import Benchmark
from caveat.core.errors import CaveatError, UnknownNameError
from caveat.core.loading import entry_points_of, load

if TYPE_CHECKING:
    from caveat.benchmarks.formats import Bridge, Format
    from caveat.benchmarks.shared.span_prediction import SpanTask
    from caveat.benchmarks.task import DataSet, Task

__all__ = ["BRIDGES", "DATA_SETS", "FORMATS", "GROUP", "RULES", "SPAN_TASKS", "TASKS", "built_in", "task"]

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
    for point in entry_points_of(GROUP).values():
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

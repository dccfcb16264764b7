"""What a benchmark adds, declared without importing it: by its folder here, or by a package from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


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

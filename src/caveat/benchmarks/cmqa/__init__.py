"""CMQA: conditional answers at two levels of detail from Chinese medical texts."""

from caveat.benchmarks.registry import Benchmark

BENCHMARK = Benchmark(
    tasks={"cmqa": "caveat.benchmarks.cmqa.task:TASK"},
    span_tasks={"cmqa": "caveat.benchmarks.cmqa.predict:SPANS"},
    formats=("caveat.benchmarks.cmqa.format:FORMATS",),
    bridges=("caveat.benchmarks.cmqa.format:BRIDGES",),
    rules=("caveat.benchmarks.cmqa.checks:RULES",),
)

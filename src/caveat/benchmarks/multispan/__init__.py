"""MultiSpanQA: answers of several spans."""

from caveat.benchmarks.registry import Benchmark

BENCHMARK = Benchmark(
    tasks={"multispan": "caveat.benchmarks.multispan.task:TASK"},
    span_tasks={"multispan": "caveat.benchmarks.multispan.predict:SPANS"},
    formats=("caveat.benchmarks.multispan.format:FORMATS",),
    bridges=("caveat.benchmarks.multispan.format:BRIDGES",),
    rules=("caveat.benchmarks.multispan.task:RULES",),
)

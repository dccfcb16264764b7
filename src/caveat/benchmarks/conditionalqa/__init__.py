"""ConditionalQA: answers and the conditions under which they hold, from government pages."""

from caveat.benchmarks.registry import Benchmark

BENCHMARK = Benchmark(
    tasks={"conditionalqa": "caveat.benchmarks.conditionalqa.task:TASK"},
    formats=("caveat.benchmarks.conditionalqa.format:FORMATS",),
    rules=("caveat.benchmarks.conditionalqa.format:RULES",),
)

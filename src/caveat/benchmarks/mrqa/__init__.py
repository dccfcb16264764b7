"""MRQA 2019: extractive answers over 18 domains."""

from caveat.benchmarks.registry import Benchmark

BENCHMARK = Benchmark(
    tasks={"mrqa": "caveat.benchmarks.mrqa.task:TASK"},
    formats=("caveat.benchmarks.mrqa.conversion:FORMATS",),
    bridges=("caveat.benchmarks.mrqa.conversion:BRIDGES",),
    rules=("caveat.benchmarks.mrqa.checks:RULES",),
)

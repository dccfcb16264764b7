"""CMRC 2018: extractive answers from Chinese Wikipedia paragraphs."""

from caveat.benchmarks.registry import Benchmark

BENCHMARK = Benchmark(
    tasks={"cmrc2018": "caveat.benchmarks.cmrc2018.task:TASK"},
    formats=("caveat.benchmarks.cmrc2018.format:FORMATS",),
    rules=("caveat.benchmarks.cmrc2018.task:RULES",),
)

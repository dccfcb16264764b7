"""SubjQA: questions on reviews; data to read and convert, and no task here."""

from caveat.benchmarks.registry import Benchmark

BENCHMARK = Benchmark(
    data_sets={"subjqa": "caveat.benchmarks.subjqa.format:SUBJQA"},
    formats=("caveat.benchmarks.subjqa.format:FORMATS",),
)

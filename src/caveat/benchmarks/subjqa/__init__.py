"""SubjQA: questions on reviews; data to read and convert, and no task here."""

from caveat.benchmarks.declaration import Benchmark

BENCHMARK = Benchmark(
    data_sets={"subjqa": "caveat.benchmarks.subjqa.data_set:SUBJQA"},
    formats=("caveat.benchmarks.subjqa.format:FORMATS",),
)

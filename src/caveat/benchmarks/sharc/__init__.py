"""ShARC: rules of government pages, asked about in dialogues; data for the judge of conditions, and no task here."""

from caveat.benchmarks.registry import Benchmark

BENCHMARK = Benchmark(data_sets={"sharc": "caveat.benchmarks.sharc.data_set:SHARC"})

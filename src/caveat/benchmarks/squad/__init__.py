"""SQuAD 1.1 and 2.0: extractive answers from Wikipedia paragraphs, and the layout that many other sets are in."""

from caveat.benchmarks.registry import Benchmark

BENCHMARK = Benchmark(
    tasks={"squad": "caveat.benchmarks.squad.task:SQUAD", "squad2": "caveat.benchmarks.squad.task:SQUAD2"},
    formats=("caveat.benchmarks.squad.format:FORMATS",),
    rules=("caveat.benchmarks.squad.task:RULES",),
)

"""NLPCC's open-domain tasks: answers from a knowledge base (KBQA), from sentences (DBQA), from tables (TBQA)."""

from caveat.benchmarks.declaration import Benchmark

BENCHMARK = Benchmark(
    tasks={
        "nlpcc-kbqa": "caveat.benchmarks.nlpcc.kbqa.task:TASK",
        "nlpcc-dbqa": "caveat.benchmarks.nlpcc.ranked.task:DBQA",
        "nlpcc-tbqa": "caveat.benchmarks.nlpcc.ranked.task:TBQA",
    },
    data_sets={
        "nlpcc-kb": "caveat.benchmarks.nlpcc.kbqa.task:TRIPLES",
        "nlpcc-mentions": "caveat.benchmarks.nlpcc.kbqa.task:MENTIONS",
    },
    formats=(
        "caveat.benchmarks.nlpcc.kbqa.format:FORMATS",
        "caveat.benchmarks.nlpcc.ranked.dbqa_format:FORMATS",
        "caveat.benchmarks.nlpcc.ranked.tbqa_format:FORMATS",
    ),
    bridges=("caveat.benchmarks.nlpcc.ranked.dbqa_format:BRIDGES",),
    rules=("caveat.benchmarks.nlpcc.kbqa.task:RULES", "caveat.benchmarks.nlpcc.ranked.checks:RULES"),
)

"""NLPCC's open-domain tasks: answers from a knowledge base (KBQA), from sentences (DBQA), from tables (TBQA)."""

from caveat.benchmarks.registry import Benchmark

BENCHMARK = Benchmark(
    tasks={
        "nlpcc-kbqa": "caveat.benchmarks.nlpcc.kbqa_task:TASK",
        "nlpcc-dbqa": "caveat.benchmarks.nlpcc.ranked_task:DBQA",
        "nlpcc-tbqa": "caveat.benchmarks.nlpcc.ranked_task:TBQA",
    },
    data_sets={
        "nlpcc-kb": "caveat.benchmarks.nlpcc.kbqa_task:TRIPLES",
        "nlpcc-mentions": "caveat.benchmarks.nlpcc.kbqa_task:MENTIONS",
    },
    formats=(
        "caveat.benchmarks.nlpcc.kbqa_format:FORMATS",
        "caveat.benchmarks.nlpcc.dbqa_format:FORMATS",
        "caveat.benchmarks.nlpcc.tbqa_format:FORMATS",
    ),
    bridges=("caveat.benchmarks.nlpcc.dbqa_format:BRIDGES",),
    rules=("caveat.benchmarks.nlpcc.kbqa_task:RULES", "caveat.benchmarks.nlpcc.ranked_checks:RULES"),
)

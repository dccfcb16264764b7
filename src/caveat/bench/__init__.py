"""Speed and memory, one file a benchmark: ratios of things measured in one run, beside the peers if there are any.

`spelling` and `tables` measure what is right, since that is asked for with the answers to single questions.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

from caveat.bench.measure import Measured, Watch
from caveat.core.errors import UnknownNameError, UsageError
from caveat.core.loading import load

# Name → its function, whose parameters are the benchmark's options.
BENCHMARKS = {
    "cluster": "caveat.bench.cluster:bench_cluster",
    "faults": "caveat.bench.faults:bench_faults",
    "knowledge": "caveat.bench.knowledge:bench_knowledge",
    "library": "caveat.bench.library:bench_library",
    "long-texts": "caveat.bench.long_texts:bench_long_texts",
    "methods": "caveat.bench.methods:bench_methods",
    "metrics": "caveat.bench.metrics:bench_metrics",
    "ocr": "caveat.bench.ocr:bench_ocr",
    "pdf": "caveat.bench.pdf:bench_pdf",
    "ranking": "caveat.bench.ranking:bench_ranking",
    "reader": "caveat.bench.reader:bench_reader",
    "reading": "caveat.bench.reading:bench_reading",
    "serve": "caveat.bench.serving:bench_serve",
    "spelling": "caveat.bench.spelling:bench_spelling",
    "structure": "caveat.bench.structure:bench_structure",
    "tables": "caveat.bench.tables:bench_tables",
}


def bench(name: str, *, watch: Watch = lambda items, total: items, **options: Any) -> Measured:
    """Run the benchmark of that name with those of its options that are given; None is an option not given.

    The options are those of `caveat bench NAME`. Data files (`data`) and model folders (`models`) are by language,
    `{code: path}`, the interpreters of other programs' environments (`peers`) by the programs' names. `watch` is
    handed what is measured, and how much of it there is, for a progress bar.
    """
    if name not in BENCHMARKS:
        raise UnknownNameError("benchmark", name, list(BENCHMARKS))
    run = load(BENCHMARKS[name])
    known = list(signature(run).parameters)
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in known:
            takes = ", ".join(each for each in known if each != "watch")
            raise UsageError(f"The benchmark {name} does not take {option}; it takes: {takes}.")
    if "watch" in known:
        given["watch"] = watch
    measured: Measured = run(**given)
    return measured

"""Speed and memory, one file a benchmark: ratios of things measured in one run, beside the peers if there are any.

`tables` measures what is right, since it is asked for with the answers to single questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from caveat.bench.measure import Measured, Watch
from caveat.core.errors import UnknownNameError, UsageError
from caveat.core.files import PathLike
from caveat.core.script import Language

__all__ = ["bench"]


def bench(
    name: str,
    *,
    repeats: int | None = None,
    questions: int | None = None,
    data: Mapping[Language, PathLike] = {},
    models: Mapping[Language, PathLike] = {},
    peers: Mapping[str, str] = {},
    overlap: int | None = None,
    pairs: int = 1000,
    passages: int = 10,
    triples: Sequence[int] = (1_000_000, 10_000_000),
    filling: Mapping[Language, Sequence[PathLike]] = {},
    sizes: Sequence[int] = (10_000, 100_000, 1_000_000),
    library_address: str | None = None,
    storage: PathLike | None = None,
    megabytes: int = 1024,
    seconds: float = 60.0,
    clients: int = 16,
    tables: PathLike | None = None,
    examples: int = 0,
    data_root: PathLike = ".",
    budget: int = 6_000,
    methods: Sequence[str] = (),
    overrides: Sequence[str] = (),
    out: PathLike | None = None,
    ray: str | None = None,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Run the benchmark of that name; each uses those of the arguments that are for it.

    Data files and model folders are by language, `peers` the interpreters of other programs' environments by their
    names. Without `repeats` and `questions` each benchmark has its own number of them. `watch` is handed what is
    measured, and how much of it there is, for a progress bar. `data_root`, `budget`, `methods` (all where none is
    named), `overrides` of their recipes and `out` are for the methods of training; `ray` is the cluster that is
    measured.
    """

    if ray is not None and name != "cluster":
        raise UsageError(f"--ray is for the benchmark cluster: {name} measures one machine.")

    def cluster() -> Measured:
        from caveat.bench.cluster import bench_cluster

        return bench_cluster(
            ray or "local",
            questions=questions or 128,
            repeats=repeats or 3,
            data=data.get("zh"),
            model=models.get("zh"),
            watch=watch,
        )

    def faults() -> Measured:
        from caveat.bench.faults import bench_faults

        return bench_faults(repeats=repeats or 3, watch=watch)

    def knowledge() -> Measured:
        from caveat.bench.knowledge import bench_knowledge

        return bench_knowledge(triples, watch)

    def library() -> Measured:
        if not data:
            if library_address is not None:
                from caveat.bench.library_on_servers import bench_library_on_servers

                return bench_library_on_servers(library_address, sizes, questions or 200, storage, watch)
            from caveat.bench.library_growth import bench_library_growth

            return bench_library_growth(sizes, watch)
        from caveat.bench.library import bench_library

        return bench_library(data=data, filling=filling, questions=questions or 200, watch=watch)

    def long_texts() -> Measured:
        from caveat.bench.long_texts import bench_long_texts

        return bench_long_texts(
            data=data,
            models=models,
            passages=passages,
            questions=questions or 200,
            repeats=repeats or 3,
            watch=watch,
        )

    def training_methods() -> Measured:
        from caveat.bench.methods import METHODS, bench_methods

        return bench_methods(
            data_root,
            budget=budget,
            questions=questions or 500,
            methods=methods or METHODS,
            overrides=overrides,
            out=out,
            watch=watch,
        )

    def metrics() -> Measured:
        from caveat.bench.metrics import bench_metrics

        return bench_metrics(repeats or 5, watch)

    def ranking() -> Measured:
        from caveat.bench.ranking import bench_ranking

        return bench_ranking(
            repeats=repeats or 3, pairs=pairs, data=data, models=models, peers=peers, watch=watch
        )

    def reader() -> Measured:
        from caveat.bench.reader import bench_reader

        return bench_reader(
            repeats=repeats or 3,
            questions=questions or 500,
            data=data,
            models=models,
            peers=peers,
            overlap=overlap,
            watch=watch,
        )

    def reading() -> Measured:
        from caveat.bench.reading import bench_reading

        return bench_reading(megabytes, watch)

    def serve() -> Measured:
        from caveat.bench.serving import bench_serve

        return bench_serve(
            seconds=seconds,
            clients=clients,
            questions=questions or 256,
            data=data.get("en"),
            model=models.get("en"),
        )

    def structure() -> Measured:
        from caveat.bench.structure import bench_structure

        return bench_structure(
            data.get("zh"),
            model=models.get("zh"),
            samples=questions or 50,
            repeats=repeats or 3,
            watch=watch,
        )

    def of_tables() -> Measured:
        from caveat.bench.tables import bench_tables

        return bench_tables(data.get("en"), tables, questions=questions, examples=examples, watch=watch)

    benchmarks: dict[str, Callable[[], Measured]] = {
        "cluster": cluster,
        "faults": faults,
        "knowledge": knowledge,
        "library": library,
        "long-texts": long_texts,
        "methods": training_methods,
        "metrics": metrics,
        "ranking": ranking,
        "reader": reader,
        "reading": reading,
        "serve": serve,
        "structure": structure,
        "tables": of_tables,
    }
    if name not in benchmarks:
        raise UnknownNameError("benchmark", name, list(benchmarks))
    return benchmarks[name]()

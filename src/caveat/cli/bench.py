"""`caveat bench`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caveat.cli.arguments import JsonFlag, RayAddress
from caveat.core.errors import UsageError

if TYPE_CHECKING:
    from caveat.core.script import Language

__all__ = ["command"]


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="cluster, faults, knowledge, library, long-texts, methods, metrics, ranking, reader, reading, serve, "
            "structure or tables.",
        ),
    ],
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats",
            min=1,
            help="cluster, faults, long-texts, metrics, ranking, reader, structure: how often each thing is measured; "
            "3, metrics: 5.",
        ),
    ] = None,
    megabytes: Annotated[
        int, typer.Option("--megabytes", min=1, help="reading: the size of the generated files.")
    ] = 1024,
    triples: Annotated[
        str,
        typer.Option(
            "--triples",
            metavar="N,N…",
            help="knowledge: the sizes of the knowledge bases that are generated.",
        ),
    ] = "1000000,10000000",
    fill_zh: Annotated[
        list[str] | None,
        typer.Option(
            "--fill-zh", metavar="FILE", help="library: Chinese texts that are there to be searched."
        ),
    ] = None,
    fill_en: Annotated[
        list[str] | None,
        typer.Option(
            "--fill-en", metavar="FILE", help="library: English texts that are there to be searched."
        ),
    ] = None,
    sizes: Annotated[
        str,
        typer.Option(
            "--sizes",
            metavar="N,N…",
            help="library, without data: how many passages the libraries have that are generated.",
        ),
    ] = "10000,100000,1000000",
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            metavar="ADDRESS",
            help="library, without data: the generated libraries are on servers, at this address (qdrant://HOST:PORT/NAME"
            ") with their sizes added to the name, and are gone afterwards.",
        ),
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(
            "--storage",
            metavar="DIR",
            help="library: the server's storage folder, to measure what is on its disk.",
        ),
    ] = None,
    zh: Annotated[
        str | None,
        typer.Option(
            "--zh",
            metavar="FILE",
            help="cluster, reader, library, long-texts: Chinese questions in one of CMRC 2018's layouts; ranking: DBQA "
            "pairs; structure: samples in CMQA's layout.",
        ),
    ] = None,
    en: Annotated[
        str | None,
        typer.Option(
            "--en",
            metavar="FILE",
            help="reader, library, long-texts, serve: English questions in SQuAD's layout; ranking: DBQA pairs; "
            "tables: questions in WikiTableQuestions' layout.",
        ),
    ] = None,
    questions: Annotated[
        int | None,
        typer.Option(
            "--questions",
            min=1,
            help="reader, serve, cluster: how many questions of each file, spread evenly over it; 500, serve: 256, "
            "cluster: 128. "
            "long-texts: how many, drawn at random; 200. library: how many of each file, and half as many on articles "
            "that are left out; 200. methods: how many of each file that is measured on; 500. structure: how many "
            "samples of each kind; 50. tables: how many from the beginning; all.",
        ),
    ] = None,
    passages: Annotated[
        int,
        typer.Option(
            "--passages",
            min=1,
            help="long-texts: how many neighbouring passages make up a document.",
        ),
    ] = 10,
    transformers: Annotated[
        str | None,
        typer.Option(
            "--transformers",
            metavar="PYTHON",
            help="reader: the interpreter of an environment with torch and transformers.",
        ),
    ] = None,
    haystack: Annotated[
        str | None,
        typer.Option(
            "--haystack",
            metavar="PYTHON",
            help="reader: the interpreter of an environment with torch and transformers-haystack.",
        ),
    ] = None,
    sentence_transformers: Annotated[
        str | None,
        typer.Option(
            "--sentence-transformers",
            metavar="PYTHON",
            help="ranking: the interpreter of an environment with torch, transformers and sentence-transformers.",
        ),
    ] = None,
    pairs: Annotated[
        int,
        typer.Option("--pairs", min=1, help="ranking: about how many pairs of each file, as whole lists."),
    ] = 1000,
    overlap: Annotated[
        int | None,
        typer.Option(
            "--overlap",
            min=0,
            help="reader: tokens that neighbouring windows of the peers share; as many as Caveat's. "
            "Haystack's own default is 128.",
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="serve: for how long the clients ask.")
    ] = 60.0,
    clients: Annotated[
        int, typer.Option("--clients", min=1, help="serve: how many clients ask at once.")
    ] = 16,
    tables: Annotated[
        str | None,
        typer.Option(
            "--tables",
            metavar="FILE",
            help="tables: the tables that the questions' ids point into, as NLPCC's table ranking has them.",
        ),
    ] = None,
    examples: Annotated[
        int,
        typer.Option(
            "--examples", min=0, help="tables: how many failures of each kind of question are told."
        ),
    ] = 0,
    model_zh: Annotated[
        str | None,
        typer.Option(
            "--model-zh",
            metavar="DIR",
            help="cluster, reader, long-texts, ranking, structure: a model folder instead of the embedded one.",
        ),
    ] = None,
    model_en: Annotated[
        str | None,
        typer.Option(
            "--model-en",
            metavar="DIR",
            help="reader, long-texts, ranking: a model folder instead of the embedded one.",
        ),
    ] = None,
    data_root: Annotated[
        str,
        typer.Option(
            "--data-root",
            metavar="DIR",
            envvar="CAVEAT_DATA",
            help="methods: a folder with the folders train, in-domain and out-of-domain, each with files in SQuAD's "
            "layout or MRQA's, inference with judgements, and perhaps tune.",
        ),
    ] = ".",
    budget: Annotated[
        int,
        typer.Option("--budget", min=1, help="methods: about how many windows each reader learns from."),
    ] = 6_000,
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", metavar="METHOD", help="methods: only this one, or several; all."),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="KEY=VALUE", help="methods: override a value of every recipe."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="methods: keep runs and figures; what is there goes on."
        ),
    ] = None,
    ray: RayAddress = None,
    json: JsonFlag = False,
) -> None:
    """Measure speed and memory: ratios of things measured in one run, the median and the spread.

    `cluster`: questions answered by the processors of a Ray cluster (--ray, local) beside plain processes.

    `faults`: inputs that were made to be slow, from 1,000 to 1,000,000 characters: how time grows with their length.

    `knowledge`: building and asking an index of generated triples: time, memory, bytes, and how they grow.

    `library`: questions asked of a library of a data file's articles, beside bm25s where it is installed: what is
    found, what is answered, how sure that was, and the time; without data, libraries of generated passages.

    `long-texts`: documents of several passages with all windows read, and with those that share most with the
    question: F1, exact match and time, on data files.

    `methods`: readers trained by each method of MRQA 2019's submissions on the same questions: exact match, F1 and
    time.

    `metrics`: each metric against the plain algorithm of its published scorer, on generated data.

    `ranking`: the rankers beside sentence-transformers' CrossEncoder with the same weights, in its own environment.

    `reader`: the readers beside transformers and Haystack with the same weights, each in its own environment: speed,
    first answer, memory, and F1 where there is a data file. Of one language if one of its options is given.

    `reading`: peak memory and throughput of reading a large knowledge base and a large DBQA file.

    `serve`: clients that ask `caveat serve` without a pause, beside the same questions asked at once in Python:
    questions a second, errors, latency, and how the server's memory grows.

    `structure`: the time for a text with all its spans and relations, and for one with many spans, on a file in
    CMQA's layout.

    `tables`: questions on tables, each asked of its own: the share whose denotation is right, the share that is
    answered, how sure that was, and the same by kind of question.

    Example: `caveat bench metrics`
    """
    from caveat.bench import bench
    from caveat.cli.terminal import print_json, print_table, tracked

    peers = {
        "transformers": transformers,
        "haystack": haystack,
        "sentence-transformers": sentence_transformers,
    }
    measured = bench(
        name,
        repeats=repeats,
        questions=questions,
        data=_by_language(zh, en),
        models=_by_language(model_zh, model_en),
        peers={peer: python for peer, python in peers.items() if python is not None},
        overlap=overlap,
        pairs=pairs,
        passages=passages,
        triples=_sizes("--triples", triples),
        filling={"zh": fill_zh or [], "en": fill_en or []},
        sizes=_sizes("--sizes", sizes),
        library_address=library,
        storage=storage,
        megabytes=megabytes,
        seconds=seconds,
        clients=clients,
        tables=tables,
        examples=examples,
        data_root=data_root,
        budget=budget,
        methods=methods or (),
        overrides=overrides or (),
        out=out,
        ray=ray,
        watch=lambda items, total: tracked(items, name, total),
    )
    if json:
        print_json(measured)
        return
    print_table(measured.title, measured.columns, measured.rows)
    for line in measured.notes:
        print(line)


def _by_language(zh: str | None, en: str | None) -> dict[Language, str]:
    given: dict[Language, str | None] = {"zh": zh, "en": en}
    return {language: value for language, value in given.items() if value is not None}


def _sizes(option: str, text: str) -> list[int]:
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise UsageError(
            f"{option} takes whole numbers with commas between, such as 1000000,10000000; got {text!r}."
        )
    return sizes

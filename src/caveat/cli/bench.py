"""`caveat bench`: one command a benchmark, each with its own options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from caveat.cli.arguments import JsonFlag, RayAddress
from caveat.cli.commands import Group
from caveat.core.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from caveat.core.languages import Language

Given = TypeVar("Given")


class Benchmarks(Group):
    """The benchmarks as commands; a name that is none of them gets the sentence that other names get."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            raise UnknownNameError("benchmark", args[0], list(self.commands))
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Benchmarks,
    no_args_is_help=True,
    help="Measure speed and memory: ratios of things measured in one run, the median and the spread.",
)

Repeats = Annotated[int, typer.Option("--repeats", min=1, help="How often each thing is measured.")]
Spread = Annotated[
    int,
    typer.Option("--questions", min=1, help="How many questions of each file, spread evenly over it."),
]
Chinese = Annotated[
    str | None,
    typer.Option("--zh", metavar="FILE", help="Chinese questions in one of CMRC 2018's layouts."),
]
English = Annotated[
    str | None, typer.Option("--en", metavar="FILE", help="English questions in SQuAD's layout.")
]
ChinesePairs = Annotated[
    str | None, typer.Option("--zh", metavar="FILE", help="Chinese pairs in DBQA's layout.")
]
EnglishPairs = Annotated[
    str | None, typer.Option("--en", metavar="FILE", help="English pairs in DBQA's layout.")
]
ChineseModel = Annotated[
    str | None,
    typer.Option("--model-zh", metavar="DIR", help="A Chinese model's folder instead of the embedded one."),
]
EnglishModel = Annotated[
    str | None,
    typer.Option("--model-en", metavar="DIR", help="An English model's folder instead of the embedded one."),
]


@app.command("cluster")
def cluster_command(
    ray: RayAddress = None,
    questions: Spread = 128,
    repeats: Repeats = 3,
    zh: Chinese = None,
    model_zh: ChineseModel = None,
    json: JsonFlag = False,
) -> None:
    """Questions answered by the processors of a Ray cluster (--ray, local) beside plain processes.

    Example: `caveat bench cluster --questions 512 --repeats 5`
    """
    data, models = _by_language(zh=zh), _by_language(zh=model_zh)
    _run("cluster", json, ray=ray, questions=questions, repeats=repeats, data=data, models=models)


@app.command("faults")
def faults_command(repeats: Repeats = 3, json: JsonFlag = False) -> None:
    """Inputs that were made to be slow, from 1,000 to 1,000,000 characters: how time grows with their length.

    Example: `caveat bench faults`
    """
    _run("faults", json, repeats=repeats)


@app.command("knowledge")
def knowledge_command(
    triples: Annotated[
        str,
        typer.Option(
            "--triples", metavar="N,N…", help="The sizes of the knowledge bases that are generated."
        ),
    ] = "1000000,10000000",
    json: JsonFlag = False,
) -> None:
    """Building and asking an index of generated triples: time, memory, bytes, and how they grow.

    Example: `caveat bench knowledge --triples 100000,1000000`
    """
    _run("knowledge", json, triples=_sizes("--triples", triples))


@app.command("library")
def library_command(
    zh: Chinese = None,
    en: English = None,
    fill_zh: Annotated[
        list[str] | None,
        typer.Option("--fill-zh", metavar="FILE", help="Chinese texts that are there to be searched."),
    ] = None,
    fill_en: Annotated[
        list[str] | None,
        typer.Option("--fill-en", metavar="FILE", help="English texts that are there to be searched."),
    ] = None,
    questions: Annotated[
        int,
        typer.Option(
            "--questions",
            min=1,
            help="How many questions of each file, and half as many on articles that are left out.",
        ),
    ] = 200,
    sizes: Annotated[
        str,
        typer.Option(
            "--sizes",
            metavar="N,N…",
            help="Without data: how many passages the libraries have that are generated.",
        ),
    ] = "10000,100000,1000000",
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            metavar="ADDRESS",
            help="Without data: the generated libraries are on servers, at this address (qdrant://HOST:PORT/NAME) with "
            "their sizes added to the name, and are gone afterwards.",
        ),
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(
            "--storage", metavar="DIR", help="The server's storage folder, to measure what is on its disk."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Questions asked of a library of a data file's articles, beside bm25s where it is installed.

    What is found, what is answered, how sure that was, and the time; without data, libraries of generated passages.

    Example: `caveat bench library --en dev-v2.0.json.gz --questions 100`
    """
    _run(
        "library",
        json,
        data=_by_language(zh=zh, en=en),
        filling=_by_language(zh=fill_zh or [], en=fill_en or []),
        questions=questions,
        sizes=_sizes("--sizes", sizes),
        library_address=library,
        storage=storage,
    )


@app.command("long-texts")
def long_texts_command(
    zh: Chinese = None,
    en: English = None,
    passages: Annotated[
        int, typer.Option("--passages", min=1, help="How many neighbouring passages make up a document.")
    ] = 10,
    questions: Annotated[
        int, typer.Option("--questions", min=1, help="How many questions of each file, drawn at random.")
    ] = 200,
    repeats: Repeats = 3,
    model_zh: ChineseModel = None,
    model_en: EnglishModel = None,
    json: JsonFlag = False,
) -> None:
    """Documents of several passages with all windows read, and with those that share most with the question.

    F1, exact match and time, on data files.

    Example: `caveat bench long-texts --en dev-v2.0.json.gz --passages 10`
    """
    _run(
        "long-texts",
        json,
        data=_by_language(zh=zh, en=en),
        models=_by_language(zh=model_zh, en=model_en),
        passages=passages,
        questions=questions,
        repeats=repeats,
    )


@app.command("methods")
def methods_command(
    data_root: Annotated[
        str,
        typer.Option(
            "--data-root",
            metavar="DIR",
            envvar="CAVEAT_DATA",
            help="A folder with the folders train, in-domain and out-of-domain, each with files in SQuAD's layout or "
            "MRQA's, inference with judgements, and perhaps tune.",
        ),
    ] = ".",
    budget: Annotated[
        int, typer.Option("--budget", min=1, help="About how many windows each reader learns from.")
    ] = 6_000,
    questions: Annotated[
        int, typer.Option("--questions", min=1, help="How many questions of each file that is measured on.")
    ] = 500,
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", metavar="METHOD", help="Only this one, or several; all."),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="KEY=VALUE", help="Override a value of every recipe."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="Keep runs and figures; what is there goes on."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Readers trained by each method of MRQA 2019's submissions on the same questions: exact match, F1 and time.

    Example: `caveat bench methods --data-root data --budget 6000`
    """
    _run(
        "methods",
        json,
        data_root=data_root,
        budget=budget,
        questions=questions,
        methods=methods or None,
        overrides=overrides,
        out=out,
    )


@app.command("metrics")
def metrics_command(repeats: Repeats = 5, json: JsonFlag = False) -> None:
    """Each metric against the plain algorithm of its published scorer, on generated data.

    Example: `caveat bench metrics`
    """
    _run("metrics", json, repeats=repeats)


@app.command("ocr")
def ocr_command(
    font: Annotated[
        str | None,
        typer.Option("--font", metavar="FILE", help="A font with Chinese characters; English alone without."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Characters of drawn, turned, blurred and noisy pages that are recognised wrongly, and seconds a page.

    Example: `caveat bench ocr --font wqy-microhei.ttc`
    """
    _run("ocr", json, font=font)


@app.command("pdf")
def pdf_command(
    folder: Annotated[
        str,
        typer.Option(
            "--folder",
            metavar="DIR",
            help="PDF files; NAME.html beside NAME.pdf is the same text as a web page.",
        ),
    ] = ".",
    repeats: Repeats = 1,
    json: JsonFlag = False,
) -> None:
    """Sentences, paragraphs and headings of PDF files that come out whole, and pages a second, beside other programs.

    Example: `caveat bench pdf --folder manuals`
    """
    _run("pdf", json, folder=folder, repeats=repeats)


@app.command("ranking")
def ranking_command(
    zh: ChinesePairs = None,
    en: EnglishPairs = None,
    pairs: Annotated[
        int, typer.Option("--pairs", min=1, help="About how many pairs of each file, as whole lists.")
    ] = 1000,
    repeats: Repeats = 3,
    sentence_transformers: Annotated[
        str | None,
        typer.Option(
            "--sentence-transformers",
            metavar="PYTHON",
            help="The interpreter of an environment with torch, transformers and sentence-transformers.",
        ),
    ] = None,
    model_zh: ChineseModel = None,
    model_en: EnglishModel = None,
    json: JsonFlag = False,
) -> None:
    """The rankers beside sentence-transformers' CrossEncoder with the same weights, in its own environment.

    Of one language if one of its options is given.

    Example: `caveat bench ranking --zh valid.tsv --pairs 600`
    """
    _run(
        "ranking",
        json,
        data=_by_language(zh=zh, en=en),
        models=_by_language(zh=model_zh, en=model_en),
        pairs=pairs,
        repeats=repeats,
        peers=_given({"sentence-transformers": sentence_transformers}),
    )


@app.command("reader")
def reader_command(
    zh: Chinese = None,
    en: English = None,
    questions: Spread = 500,
    repeats: Repeats = 3,
    transformers: Annotated[
        str | None,
        typer.Option(
            "--transformers",
            metavar="PYTHON",
            help="The interpreter of an environment with torch and transformers.",
        ),
    ] = None,
    haystack: Annotated[
        str | None,
        typer.Option(
            "--haystack",
            metavar="PYTHON",
            help="The interpreter of an environment with torch and transformers-haystack.",
        ),
    ] = None,
    overlap: Annotated[
        int | None,
        typer.Option(
            "--overlap",
            min=0,
            help="Tokens that neighbouring windows of the peers share; as many as Caveat's. Haystack's own default is "
            "128.",
        ),
    ] = None,
    model_zh: ChineseModel = None,
    model_en: EnglishModel = None,
    json: JsonFlag = False,
) -> None:
    """The readers beside transformers and Haystack with the same weights, each in its own environment.

    Speed, first answer, memory, and F1 where there is a data file. Of one language if one of its options is given.

    Example: `caveat bench reader --en dev.json --transformers peers/transformers/bin/python`
    """
    _run(
        "reader",
        json,
        data=_by_language(zh=zh, en=en),
        models=_by_language(zh=model_zh, en=model_en),
        questions=questions,
        repeats=repeats,
        peers=_given({"transformers": transformers, "haystack": haystack}),
        overlap=overlap,
    )


@app.command("reading")
def reading_command(
    megabytes: Annotated[
        int, typer.Option("--megabytes", min=1, help="The size of the generated files.")
    ] = 1024,
    json: JsonFlag = False,
) -> None:
    """Peak memory and throughput of reading a large knowledge base and a large DBQA file.

    Example: `caveat bench reading --megabytes 20`
    """
    _run("reading", json, megabytes=megabytes)


@app.command("serve")
def serve_command(
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="For how long the clients ask.")
    ] = 60.0,
    clients: Annotated[int, typer.Option("--clients", min=1, help="How many clients ask at once.")] = 16,
    en: English = None,
    questions: Spread = 256,
    model_en: EnglishModel = None,
    json: JsonFlag = False,
) -> None:
    """Clients that ask `caveat serve` without a pause, beside the same questions asked at once in Python.

    Questions a second, errors, latency, and how the server's memory grows.

    Example: `caveat bench serve --seconds 20`
    """
    data, models = _by_language(en=en), _by_language(en=model_en)
    _run("serve", json, seconds=seconds, clients=clients, questions=questions, data=data, models=models)


@app.command("spelling")
def spelling_command(
    folder: Annotated[
        str | None,
        typer.Option("--folder", metavar="DIR", help="Pages in files/, their questions in items.jsonl."),
    ] = None,
    questions: Annotated[
        int, typer.Option("--questions", min=1, help="How many, evenly over those of the fold.")
    ] = 150,
    fold: Annotated[
        int, typer.Option("--fold", min=0, help="The fifth of the repositories that is asked, from 0 to 4.")
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Which words are mistyped, and how.")] = 1,
    examples: Annotated[
        int, typer.Option("--examples", min=0, help="How many words that were not restored are told.")
    ] = 0,
    json: JsonFlag = False,
) -> None:
    """Typing errors: the share of right first answers as written, with a word mistyped, and with that corrected.

    Example: `caveat bench spelling --folder pages`
    """
    _run("spelling", json, folder=folder, questions=questions, fold=fold, seed=seed, examples=examples)


@app.command("structure")
def structure_command(
    zh: Annotated[str | None, typer.Option("--zh", metavar="FILE", help="Samples in CMQA's layout.")] = None,
    questions: Annotated[int, typer.Option("--questions", min=1, help="How many samples of each kind.")] = 50,
    repeats: Repeats = 3,
    model_zh: ChineseModel = None,
    json: JsonFlag = False,
) -> None:
    """The time for a text with all its spans and relations, and for one with many spans, on a file in CMQA's layout.

    Example: `caveat bench structure --zh dev.jsonl.gz`
    """
    data, models = _by_language(zh=zh), _by_language(zh=model_zh)
    _run("structure", json, data=data, models=models, questions=questions, repeats=repeats)


@app.command("tables")
def tables_command(
    en: Annotated[
        str | None,
        typer.Option("--en", metavar="FILE", help="Questions in WikiTableQuestions' layout."),
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option(
            "--tables",
            metavar="FILE",
            help="The tables that the questions' ids point into, as NLPCC's table ranking has them.",
        ),
    ] = None,
    folder: Annotated[
        str | None,
        typer.Option(
            "--folder", metavar="DIR", help="Files with tables in files/, their questions in items.jsonl."
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            "--part", metavar="PART", help="Of the folder's questions: development or held-out; both."
        ),
    ] = None,
    questions: Annotated[
        int | None, typer.Option("--questions", min=1, help="How many from the beginning; all.")
    ] = None,
    examples: Annotated[
        int,
        typer.Option("--examples", min=0, help="How many failures of each kind of question are told."),
    ] = 0,
    json: JsonFlag = False,
) -> None:
    """Questions on tables, each asked of its own: the share whose denotation is right, and the share that is answered.

    How sure that was, and the same by kind of question.

    Example: `caveat bench tables --en random-split-1-dev.tsv --tables wtq.tables.tsv.gz`
    """
    _run(
        "tables",
        json,
        data=_by_language(en=en),
        tables=tables,
        folder=folder,
        part=part,
        questions=questions,
        examples=examples,
    )


def _run(name: str, json: bool, **options: Any) -> None:
    """Run a benchmark with its options, and print what it measured."""
    from caveat.bench import bench
    from caveat.cli.terminal import print_json, print_table, tracked

    measured = bench(name, watch=lambda items, total: tracked(items, name, total), **options)
    if json:
        print_json(measured)
        return
    print_table(measured.title, measured.columns, measured.rows)
    for line in measured.notes:
        print(line)


def _by_language(zh: Given | None = None, en: Given | None = None) -> dict[Language, Given]:
    from caveat.language.packs.en import ENGLISH
    from caveat.language.packs.zh import CHINESE

    given = {CHINESE: zh, ENGLISH: en}
    return {language: value for language, value in given.items() if value is not None}


def _given(peers: dict[str, str | None]) -> dict[str, str]:
    return {peer: python for peer, python in peers.items() if python is not None}


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

"""`caveat bench`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag

__all__ = ["command"]


def command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", show_default=False, help="metrics, reader or reading.")
    ],
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats", min=1, help="metrics, reader: how often each thing is measured; 5, reader: 3."
        ),
    ] = None,
    megabytes: Annotated[
        int, typer.Option("--megabytes", min=1, help="reading: the size of the generated files.")
    ] = 1024,
    zh: Annotated[
        str | None,
        typer.Option("--zh", metavar="FILE", help="reader: Chinese questions in one of CMRC 2018's layouts."),
    ] = None,
    en: Annotated[
        str | None,
        typer.Option("--en", metavar="FILE", help="reader: English questions in SQuAD's layout."),
    ] = None,
    questions: Annotated[
        int,
        typer.Option("--questions", min=1, help="reader: so many questions of each file, evenly over it."),
    ] = 500,
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
    overlap: Annotated[
        int | None,
        typer.Option(
            "--overlap",
            min=0,
            help="reader: tokens that neighbouring windows of the peers share; as many as Caveat's. "
            "Haystack's own default is 128.",
        ),
    ] = None,
    model_zh: Annotated[
        str | None,
        typer.Option("--model-zh", metavar="DIR", help="reader: a model folder instead of reader-zh."),
    ] = None,
    model_en: Annotated[
        str | None,
        typer.Option("--model-en", metavar="DIR", help="reader: a model folder instead of reader-en."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Measure speed and memory: ratios of things measured in one run, the median and the spread.

    `metrics`: each metric against the plain algorithm of its published scorer, on generated data.

    `reader`: the readers beside transformers and Haystack with the same weights, each in its own environment: speed,
    first answer, memory, and F1 where there is a data file. Of one language if one of its options is given.

    `reading`: peak memory and throughput of reading a large knowledge base and a large DBQA file.

    Example: `caveat bench metrics`
    """
    from caveat.bench.registry import bench
    from caveat.cli.terminal import print_json, print_table, tracked

    given = {
        "data": {"zh": zh, "en": en},
        "models": {"zh": model_zh, "en": model_en},
        "peers": {"transformers": transformers, "haystack": haystack},
    }
    measured = bench(
        name,
        repeats=repeats,
        megabytes=megabytes,
        watch=lambda items, total: tracked(items, name, total),
        questions=questions,
        overlap=overlap,
        **{key: {k: v for k, v in values.items() if v is not None} for key, values in given.items()},
    )
    if json:
        print_json(measured)
        return
    print_table(measured.title, measured.columns, measured.rows)
    for line in measured.notes:
        print(line)

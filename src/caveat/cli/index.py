"""`caveat index`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag, RayAddress


def command(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE…",
            show_default=False,
            help="Texts, tables and triples: files, and folders with all that is in them. Triples (`subject ||| "
            "predicate ||| object`, TSV, CSV, N-Triples) and mention lists alone become an index of triples.",
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="The folder for the library or index, or qdrant://HOST:PORT/NAME for a library on servers.",
        ),
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="nlpcc-kb, triples-tsv, triples-csv, triples-json, ntriples or nlpcc-mentions, of all sources, which "
            "are triples then; without it names and content tell.",
        ),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Triples: leave out lines that hold none, and say which.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Stop where a file of a folder cannot be read; else it is listed."),
    ] = False,
    processes: Annotated[
        int | None, typer.Option("--processes", min=1, help="How many read at once; else it is chosen.")
    ] = None,
    ray: RayAddress = None,
    json: JsonFlag = False,
) -> None:
    """Put sources into a library, which is asked with `caveat ask --library DIR`; triples alone into an index of them.

    A library that is in the folder already is brought up to date: what has not changed stays as it is, what a folder
    has lost leaves. An index of triples is replaced. Both at once, when all is complete; on servers file by file.

    Example: `caveat index handbook/ prices.xlsx --out office`
    """
    from caveat import index
    from caveat.answerers.knowledge.index.build import IndexReport
    from caveat.cli.library import print_added
    from caveat.cli.terminal import note, print_json, print_table, tracked
    from caveat.cluster.work import spread_at
    from caveat.render.words import plural

    report = index(
        sources,
        out,
        format=format,
        skip_bad=skip_bad,
        strict=strict,
        processes=processes,
        through=tracked,
        spread=spread_at(ray),
    )
    if not isinstance(report, IndexReport):
        print_added(report, out, json=json)
        return
    if json:
        print_json(report)
    else:
        rows: list[tuple[str, object]] = [
            ("triples", report.triples),
            ("entities", report.entities),
            ("predicates", report.predicates),
            ("names", report.names),
            ("duplicates", report.duplicates),
            ("skipped lines", report.skipped),
            ("bytes", report.bytes),
            ("seconds", report.seconds),
        ]
        print_table(out, ["", ""], rows)
    if report.skipped:
        places = ", ".join(f"{bad.source} line {bad.line:,}" for bad in report.bad_lines)
        more = " …" if report.skipped > len(report.bad_lines) else ""
        note(f"{plural(report.skipped, 'line')} without a triple skipped: {places}{more}.")
    if report.unknown_mentions:
        note(f"{plural(report.unknown_mentions, 'mention')} of entities that no triple is about: ignored.")

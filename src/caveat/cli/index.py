"""`caveat index`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag

__all__ = ["command"]


def command(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE…",
            show_default=False,
            help="Files of triples (`subject ||| predicate ||| object`, TSV, CSV, N-Triples) and mention lists.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="DIR", help="The folder for the index.")],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="nlpcc-kb, triples-tsv, triples-csv, triples-json, ntriples or nlpcc-mentions, of all sources; "
            "without it names and content tell.",
        ),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out lines that hold no triple, and say which.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Index triples, so that questions are answered from millions of them in milliseconds.

    The index takes the place of one that is in the folder already, once it is complete.

    Example: `caveat index company.kb --out company`
    """
    from caveat.answerers.knowledge.index.build import build_index
    from caveat.cli.terminal import note, plural, print_json, print_table, tracked

    report = build_index(sources, out, format=format, skip_bad=skip_bad, through=tracked)
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

"""`caveat convert`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import Documents, JsonFlag, RayAddress, TableFile

__all__ = ["command"]


def _list_formats(wanted: bool) -> None:
    if not wanted:
        return
    from caveat.benchmarks.registry import FORMATS
    from caveat.cli.terminal import print_table

    rows = [[f.name, _ways(f.read is not None, f.write is not None), f.summary] for f in FORMATS.values()]
    print_table("Formats", ["format", "can be", "what it is"], rows)
    raise typer.Exit


def _ways(reads: bool, writes: bool) -> str:
    return " and ".join(way for way, can in (("read", reads), ("written", writes)) if can)


def command(
    format: Annotated[
        str, typer.Argument(metavar="FORMAT", show_default=False, help="What the file is; see --list.")
    ],
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            show_default=False,
            help="The file (or folder) to read; several are converted into a folder.",
        ),
    ],
    to: Annotated[str, typer.Option("--to", "-t", metavar="FORMAT", help="What it is to become.")],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to write it; .gz compresses. Of several files a folder.",
        ),
    ],
    documents: Documents = None,
    tables: TableFile = None,
    ray: RayAddress = None,
    json: JsonFlag = False,
    list_formats: Annotated[
        bool,
        typer.Option("--list", callback=_list_formats, is_eager=True, help="List the formats and leave."),
    ] = False,
) -> None:
    """Convert between data formats, MRQA's 18 sub-domains in their own formats included.

    What is dropped by the rules of a format (MRQA's sub-domains) is counted by reason.

    Example: `caveat convert hotpotqa hotpot_dev.json --to mrqa --out HotpotQA.jsonl.gz`
    """
    from caveat.benchmarks.convert import convert_files
    from caveat.cli.terminal import named, note, plural, print_json, tracked
    from caveat.cluster.work import spread_at

    conversions = convert_files(
        format,
        paths,
        to,
        out,
        documents=documents,
        tables=tables,
        watch=lambda items: tracked(items, "converting"),
        spread=spread_at(ray),
    )
    if json and out != "-":
        print_json(conversions[0] if len(paths) == 1 else conversions)
    for done in conversions:
        questions = f", {plural(done.questions, 'question')}" if done.questions else ""
        note(f"{plural(done.records, 'record')}{questions} written to {named(done.out)} as {to}.")
        for reason, count in sorted(done.dropped.items(), key=lambda item: -item[1]):
            note(f"dropped {count:,}: {reason} (such as {', '.join(done.examples[reason])})")

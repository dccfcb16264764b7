"""`caveat repartition`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag

__all__ = ["command"]


def command(
    path: Annotated[str, typer.Argument(metavar="FILE", show_default=False, help="A file in MRQA's format.")],
    dev: Annotated[str, typer.Option("--dev", metavar="FILE", help="Where the development part goes.")],
    test: Annotated[str, typer.Option("--test", metavar="FILE", help="Where the test part goes.")],
    size: Annotated[
        int, typer.Option("--size", min=1, help="About how many questions each part gets.")
    ] = 1500,
    json: JsonFlag = False,
) -> None:
    """Part an MRQA file into dev and test as the shared task parted its Split II and III.

    By context, so that none is in both; about 1,500 questions each, or half each where there are fewer; the
    same every time, in whatever order the file is.

    Example: `caveat repartition BioASQ.jsonl.gz --dev dev.jsonl.gz --test test.jsonl.gz`
    """
    from caveat.benchmarks.mrqa.repartition import repartition_file
    from caveat.cli.outputs import refuse_clashes
    from caveat.cli.terminal import note, plural, print_json

    refuse_clashes({"--dev": dev, "--test": test, "--json": "-" if json else None}, (path,))
    done = repartition_file(path, dev, test, size)
    if json:
        print_json(done)
    note(f"{plural(done.dev, 'question')} in {dev}, {done.test:,} in {test}, {done.left_out:,} left out.")

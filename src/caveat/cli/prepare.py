"""`caveat prepare`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag

__all__ = ["command"]


def command(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", show_default=False, help="Plain text files in Chinese.")
    ],
    out: Annotated[str, typer.Option("--out", "-o", help="Where to write the passages, in CMRC's layout.")],
    prefix: Annotated[str, typer.Option("--prefix", help="What the passages' ids begin with.")] = "TRAIN",
    drops: Annotated[
        str | None,
        typer.Option("--drops", help="Write what was dropped, one JSON line each with its reason."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Plain Chinese text → passages to write questions on, prepared as CMRC 2018 was.

    Passages of at most 500 words, Traditional script turned into Simplified; passages over 30 % non-Chinese,
    with many special symbols, or in classical Chinese are dropped, each with its reason.

    Example: `caveat prepare articles.txt --out passages.json`
    """
    from caveat.benchmarks.cmrc2018.preparation import prepare_files
    from caveat.cli.outputs import refuse_clashes
    from caveat.cli.terminal import named, note, plural, print_json

    refuse_clashes({"--out": out, "--drops": drops}, files)
    done = prepare_files(files, out, prefix=prefix, drops=drops)
    if json and out != "-":
        print_json(done)
    dropped = f"{sum(done.dropped.values()):,} dropped"
    note(f"{plural(done.passages, 'passage')} written to {named(out)}; {dropped}.")
    for reason, count in sorted(done.dropped.items(), key=lambda item: -item[1]):
        note(f"dropped {count:,}: {reason}")

"""`caveat bench`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag

__all__ = ["command"]


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="metrics or reading.")],
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="How often each thing is measured.")] = 5,
    megabytes: Annotated[
        int, typer.Option("--megabytes", min=1, help="reading: the size of the generated files.")
    ] = 1024,
    json: JsonFlag = False,
) -> None:
    """Measure speed and memory: ratios of things measured in one run, the median and the spread.

    `metrics`: each metric against the plain algorithm of its published scorer, on generated data.

    `reading`: peak memory and throughput of reading a large knowledge base and a large DBQA file.

    Example: `caveat bench metrics`
    """
    from caveat.bench.registry import bench
    from caveat.cli.terminal import print_json, print_table, tracked

    measured = bench(
        name, repeats=repeats, megabytes=megabytes, watch=lambda items, total: tracked(items, name, total)
    )
    if json:
        print_json(measured)
        return
    print_table(measured.title, measured.columns, measured.rows)
    for line in measured.notes:
        print(line)

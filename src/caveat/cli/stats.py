"""`caveat stats`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caveat.cli.arguments import DataName, Documents, JsonFlag, Kb, Mentions, TableFile

__all__ = ["command"]


def command(
    task: DataName,
    data: Annotated[str, typer.Option("--data", "-d", help="The data file.")],
    documents: Documents = None,
    tables: TableFile = None,
    kb: Kb = None,
    mentions: Mentions = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Also draw the distributions: .png, .svg or .pdf.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Count what is in a data file: the tables that the benchmark's paper prints.

    Example: `caveat stats cmrc2018 --data train.json.gz`
    """
    from caveat.benchmarks.describe import stats
    from caveat.benchmarks.task import DataFiles
    from caveat.cli.terminal import note, print_json, print_table

    counted = stats(task, DataFiles(data, documents, tables, kb, mentions))
    if json:
        print_json(counted)
    else:
        print_table(f"{task}: {data}", ["", "count"], counted.counts_shown())
        for table in counted.tables:
            print_table(table.name, table.columns, table.rows)
    if plot:
        from caveat.render.plot import plot as draw

        draw(counted, plot)
        note(f"drawn: {plot}")

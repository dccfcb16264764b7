"""`caveat report`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag, TaskName
from caveat.core.loading import extra_command


def command(
    task: TaskName,
    gold: Annotated[
        str | None,
        typer.Option("--gold", "-g", help="A folder with a data file for each set, or the file of one set."),
    ] = None,
    pred: Annotated[
        list[str] | None,
        typer.Option(
            "--pred",
            "-p",
            metavar="NAME=PATH",
            help="A system: a folder with a prediction file for each set, named as the set, or one file. Repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the page and the pictures to this folder.")
    ] = None,
    published: Annotated[
        str | None,
        typer.Option(
            "--published",
            help="mrqa: a folder with the leaderboards, laid beside. conditionalqa, cmrc2018, nlpcc-kbqa, "
            "nlpcc-dbqa: `paper`, for figures that come with the package.",
        ),
    ] = None,
    encoder: Annotated[
        list[str] | None,
        typer.Option("--encoder", metavar="NAME=ENCODER", help="What a system is built on. Repeatable."),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option("--measure", help="What is averaged, drawn and compared; f1 where there is one."),
    ] = None,
    official: Annotated[
        bool, typer.Option("--official", help="Score as the published scorer does, quirks included.")
    ] = False,
    resamples: Annotated[
        int, typer.Option("--resamples", min=0, help="Of the paired bootstrap between systems; 0 for none.")
    ] = 10_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the bootstrap.")] = 0,
    json: JsonFlag = False,
) -> None:
    """Systems beside each other on several sets: tables, pictures, differences judged by a bootstrap, one page.

    For mrqa these are the tables of the shared task's paper. A set that a system has no predictions for is said, and an
    average over some sets only is marked.

    Example: `caveat report mrqa --gold dev --pred mine=predictions --out report`
    """
    from caveat.benchmarks.report import report
    from caveat.cli.terminal import note, print_json, print_table, tracked

    made = report(
        task,
        gold,
        _pairs(pred or (), "--pred"),
        published=published,
        encoders=_pairs(encoder or (), "--encoder"),
        measure=measure,
        official=official,
        resamples=resamples,
        seed=seed,
        through=lambda items: tracked(items, task),
    )
    if json:
        print_json(made)
    else:
        for table in made.headlines():
            print_table(table.name, table.columns, table.rows)
    for remark in made.remarks:
        note(remark)
    if out is not None:
        from caveat.render.report_page import write_report

        written = write_report(made, out)
        note(f"written: {', '.join(map(str, written))}")
        if len(written) == 1:
            note(f"no pictures, which need matplotlib: {extra_command('plot')}")


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (equals and name.strip() and value):
            raise typer.BadParameter(f"expected NAME=…, got {text!r}.", param_hint=option)
        if name.strip() in pairs:
            raise typer.BadParameter(f"there are two for {name.strip()!r}.", param_hint=option)
        pairs[name.strip()] = value
    return pairs

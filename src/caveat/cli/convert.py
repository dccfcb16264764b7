"""Data files made of others: `caveat convert`, `caveat repartition`, `caveat prepare`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import Documents, JsonFlag, RayAddress, TableFile, refuse_clashes


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


def convert_command(
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
    from caveat.cli.terminal import named, note, print_json, tracked
    from caveat.cluster.work import spread_at
    from caveat.render.words import plural

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


def repartition_command(
    path: Annotated[str, typer.Argument(metavar="FILE", show_default=False, help="A file in MRQA's format.")],
    dev: Annotated[str, typer.Option("--dev", metavar="FILE", help="Where the development part goes.")],
    test: Annotated[str, typer.Option("--test", metavar="FILE", help="Where the test part goes.")],
    size: Annotated[
        int, typer.Option("--size", min=1, help="About how many questions each part gets.")
    ] = 1500,
    original_test: Annotated[
        str | None,
        typer.Option(
            "--original-test",
            metavar="FILE",
            help="The data set's own test file: the test part takes its questions first.",
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Part an MRQA file into dev and test as the shared task parted its Split II and III.

    By context, so that none is in both; about 1,500 questions each, or half each where there are fewer; the
    same every time, in whatever order the file is.

    Example: `caveat repartition BioASQ.jsonl.gz --dev dev.jsonl.gz --test test.jsonl.gz`
    """
    from caveat.benchmarks.mrqa.task import repartition_file
    from caveat.cli.terminal import note, print_json
    from caveat.render.words import plural

    refuse_clashes({"--dev": dev, "--test": test, "--json": "-" if json else None}, (path, original_test))
    done = repartition_file(path, dev, test, size, original_test)
    if json:
        print_json(done)
    note(f"{plural(done.dev, 'question')} in {dev}, {done.test:,} in {test}, {done.left_out:,} left out.")


def prepare_command(
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
    from caveat.cli.terminal import named, note, print_json
    from caveat.render.words import plural

    refuse_clashes({"--out": out, "--drops": drops}, files)
    done = prepare_files(files, out, prefix=prefix, drops=drops)
    if json and out != "-":
        print_json(done)
    dropped = f"{sum(done.dropped.values()):,} dropped"
    note(f"{plural(done.passages, 'passage')} written to {named(out)}; {dropped}.")
    for reason, count in sorted(done.dropped.items(), key=lambda item: -item[1]):
        note(f"dropped {count:,}: {reason}")

"""What is in data files: `caveat stats`, `caveat check`, `caveat agreement`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from caveat.cli.arguments import DataName, Documents, JsonFlag, Kb, Mentions, RayAddress, TableFile


def stats_command(
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
    from caveat.benchmarks.task import DataFiles
    from caveat.benchmarks.verbs import stats
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


def check_command(
    task: DataName,
    data: Annotated[
        list[str],
        typer.Option("--data", "-d", help="The data file; several are checked one after the other."),
    ],
    documents: Documents = None,
    tables: TableFile = None,
    kb: Kb = None,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", "-r", help="Only this rule; may be given several times. See docs/checks.md."),
    ] = None,
    ray: RayAddress = None,
    json: JsonFlag = False,
) -> None:
    """Is the data sound? One line a finding, with file, line and id; exit code 1 if there is any.

    Example: `caveat check cmrc2018 --data train.json.gz --rule offset-mismatch`
    """
    from caveat.benchmarks.task import DataFiles
    from caveat.benchmarks.verbs import check_files, untried_rules
    from caveat.cli.terminal import note, print_json
    from caveat.cluster.work import spread_at
    from caveat.render.words import plural

    files = [DataFiles(each, documents, tables, kb) for each in data]
    for companion, rules in untried_rules(task, files[0]).items():
        note(f"without --{companion} these rules are not tried: {', '.join(rules)}.")
    found: Counter[str] = Counter()
    collected = []
    for finding in check_files(task, files, set(rule or ()), spread_at(ray)):
        found[finding.rule] += 1
        if json:
            collected.append(finding)
        else:
            print(finding)
    if json:
        print_json({"findings": collected, "rules": dict(found), "total": found.total()})
    if found:
        counts = ", ".join(f"{name} {count:,}" for name, count in found.most_common())
        note(f"{plural(found.total(), 'finding')}: {counts}.")
        raise typer.Exit(1)
    note("nothing found.")


def agreement_command(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK",
            show_default=False,
            help="mrqa, squad, squad2, cmrc2018, cmqa, multispan, conditionalqa or nlpcc-kbqa.",
        ),
    ],
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            show_default=False,
            help="One file an annotator, in the data's own layout; or, where each question has several "
            "gold answers (MRQA, SQuAD, CMRC 2018), the one data file.",
        ),
    ],
    json: JsonFlag = False,
) -> None:
    """How far annotators agree, with the task's own metrics.

    One file with several gold answers a question: each answer in turn is scored against the others, as
    CMRC 2018 estimates human performance. Several files: the same with one answer from each file; for CMQA
    the mean F1 over the pairs of annotators; for the other tasks their own scores, averaged over the pairs.

    Example: `caveat agreement cmqa first.jsonl second.jsonl third.jsonl`
    """
    from caveat.benchmarks.verbs import agreement
    from caveat.cli.terminal import print_json, print_scores

    scores = agreement(task, files)
    if json:
        print_json(scores)
    else:
        print_scores(f"{task}: agreement", scores)

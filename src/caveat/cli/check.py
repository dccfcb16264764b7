"""`caveat check`."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from caveat.cli.arguments import DataName, Documents, JsonFlag, Kb, TableFile

__all__ = ["command"]


def command(
    task: DataName,
    data: Annotated[str, typer.Option("--data", "-d", help="The data file.")],
    documents: Documents = None,
    tables: TableFile = None,
    kb: Kb = None,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", "-r", help="Only this rule; may be given several times. See docs/checks.md."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Is the data sound? One line a finding, with file, line and id; exit code 1 if there is any.

    Example: `caveat check cmrc2018 --data train.json.gz --rule offset-mismatch`
    """
    from caveat.benchmarks.describe import check, untried_rules
    from caveat.benchmarks.task import DataFiles
    from caveat.cli.terminal import note, plural, print_json

    files = DataFiles(data, documents, tables, kb)
    for companion, rules in untried_rules(task, files).items():
        note(f"without --{companion} these rules are not tried: {', '.join(rules)}.")
    found: Counter[str] = Counter()
    collected = []
    for finding in check(task, files, set(rule or ())):
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

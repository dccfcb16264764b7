"""`caveat check`."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from caveat.cli.arguments import DataName, Documents, JsonFlag, Kb, RayAddress, TableFile

__all__ = ["command"]


def command(
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
    from caveat.benchmarks.describe import check_files, untried_rules
    from caveat.benchmarks.task import DataFiles
    from caveat.cli.terminal import note, plural, print_json
    from caveat.cluster.work import spread_at

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

"""`caveat floors`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag, TaskName

__all__ = ["command"]


def command(
    task: TaskName,
    gold: Annotated[str, typer.Option("--gold", "-g", help="The data with the gold answers.")],
    json: JsonFlag = False,
) -> None:
    """What trivial systems score, so that a score can be read: ConditionalQA's always “yes”, and others.

    Example: `caveat floors conditionalqa --gold dev.json`
    """
    from caveat.cli.terminal import print_json, print_scores
    from caveat.tasks.evaluate import floors

    found = floors(task, gold)
    if json:
        print_json({name: scored.scores for name, scored in found.items()})
        return
    for name, scored in found.items():
        print_scores(f"{task}: {name}", scored.scores)

"""`caveat floors`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag

__all__ = ["command"]


def command(
    task: Annotated[str, typer.Argument(metavar="TASK", show_default=False, help="conditionalqa.")],
    gold: Annotated[str, typer.Option("--gold", "-g", help="The data with the gold answers.")],
    json: JsonFlag = False,
) -> None:
    """What trivial systems score, so that a score can be read.

    ConditionalQA: always “yes” without conditions; never an answer; the gold answers without their conditions.

    Example: `caveat floors conditionalqa --gold dev.json`
    """
    from caveat.benchmarks.evaluate import floors
    from caveat.cli.terminal import in_words, print_json, print_scores

    found = floors(task, gold)
    if json:
        print_json({name: scored.scores for name, scored in found.items()})
        return
    for name, scored in found.items():
        print_scores(f"{task}: {in_words(name)}", scored.scores)

"""`caveat agreement`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag

__all__ = ["command"]


def command(
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
    from caveat.benchmarks.describe import agreement
    from caveat.cli.terminal import print_json, print_scores

    scores = agreement(task, files)
    if json:
        print_json(scores)
    else:
        print_scores(f"{task}: agreement", scores)

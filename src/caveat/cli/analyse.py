"""`caveat analyse`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caveat.cli.arguments import JsonFlag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from caveat.benchmarks.cmqa.errors import WorstSample, WrongSpan

__all__ = ["command"]

_TITLES = {
    "presence": "Does a sample have such spans?",
    "errors": "Samples by their gravest error",
    "gold_spans": "Gold spans",
    "predicted_spans": "Predicted spans",
    "connections": "Connected answers, %",
    "relations": "Relations",
}
_LONGEST = 200


def command(
    task: Annotated[str, typer.Argument(metavar="TASK", show_default=False, help="cmqa.")],
    gold: Annotated[str, typer.Option("--gold", "-g", help="The data with the gold answers.")],
    pred: Annotated[
        str, typer.Option("--pred", "-p", help="The predictions, in the task's submission format.")
    ],
    worst: Annotated[
        int, typer.Option("--worst", min=0, help="Show so many samples with the lowest F1.")
    ] = 5,
    json: JsonFlag = False,
) -> None:
    """What predictions get wrong: the error analysis of CMQA's paper, decided by offsets.

    Whether a sample has spans of a type; which are chosen wrongly or missed, have the wrong type or the wrong
    boundaries; how many answers are connected; and the worst samples.

    Example: `caveat analyse cmqa --gold dev.jsonl --pred mine.jsonl`
    """
    from caveat.benchmarks.analyse import analyse
    from caveat.cli.terminal import note, plural, print_json, print_scores, print_table

    analysis = analyse(task, gold, pred, worst=worst)
    if json:
        print_json(analysis)
    else:
        for name, title in _TITLES.items():
            print_scores(title, getattr(analysis, name))
        if analysis.worst:
            columns = ("sample", "F1", "question", "not found", "not in gold")
            print_table("Worst samples", columns, map(_row, analysis.worst))
    if analysis.missing:
        note(f"no prediction for {plural(analysis.missing, 'sample')}: nothing counts as predicted there.")


def _row(sample: WorstSample) -> tuple[object, ...]:
    return (
        sample.sample,
        sample.f1,
        _short(sample.question),
        _listed(sample.not_found),
        _listed(sample.not_gold),
    )


def _listed(spans: Sequence[WrongSpan]) -> str:
    return _short("; ".join(f"{span.text} ({span.type}: {span.fault})" for span in spans)) or "–"


def _short(text: str) -> str:
    from caveat.core.errors import one_line

    return one_line(text, _LONGEST)

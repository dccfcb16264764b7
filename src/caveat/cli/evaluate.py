"""`caveat eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag, TaskName

__all__ = ["command"]


def command(
    task: TaskName,
    gold: Annotated[str, typer.Option("--gold", "-g", help="The data with the gold answers.")],
    pred: Annotated[
        str, typer.Option("--pred", "-p", help="The predictions, in the task's submission format.")
    ],
    official: Annotated[
        bool, typer.Option("--official", help="Reproduce the published scorer bit for bit, quirks included.")
    ] = False,
    details: Annotated[
        Path | None,
        typer.Option("--details", help="Write one JSON line a question, with its scores, to this file."),
    ] = None,
    first: Annotated[
        int | None, typer.Option("--first", min=1, help="Score only the first N questions of the gold file.")
    ] = None,
    na_prob: Annotated[
        str | None, typer.Option("--na-prob", help="squad2: JSON object id → probability of no answer.")
    ] = None,
    na_threshold: Annotated[
        float, typer.Option("--na-threshold", help="squad2: above this probability the answer is “none”.")
    ] = 1.0,
    skip_no_answer: Annotated[
        bool,
        typer.Option(
            "--skip-no-answer", help="mrqa with --official: missing predictions leave the denominator."
        ),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Score predictions with the benchmark's published metrics, all on 0–100.

    A missing prediction counts as wrong and the number missing is printed; `--official` does instead
    whatever the published scorer does.

    Example: `caveat eval cmrc2018 --gold trial.json --pred mine.json`
    """
    from caveat.benchmarks.evaluate import evaluate, evaluate_official
    from caveat.benchmarks.task import EvaluationOptions
    from caveat.cli.outputs import refuse_clashes
    from caveat.cli.terminal import note, print_json, print_scores
    from caveat.core.json_files import write_json_lines

    refuse_clashes({"--details": details, "--json": "-" if json else None}, (gold, pred, na_prob))
    options = EvaluationOptions(first, na_prob, na_threshold, skip_no_answer)
    if skip_no_answer and not official:
        raise typer.BadParameter(
            "goes with --official only: without that a missing prediction is wrong.",
            param_hint="--skip-no-answer",
        )
    scored = (evaluate_official if official else evaluate)(task, gold, pred, options)
    if details:
        write_json_lines(details, scored.details)
    if json:
        print_json({**scored.scores, "unknown": len(scored.unknown)})
    else:
        print_scores(f"{task}{' (as published)' if official else ''}", scored.scores)
    if scored.missing:
        counted = "treated as the published scorer treats it" if official else "counted as wrong"
        note(f"no prediction for {_some(scored.missing, 'question')}: {counted}.")
    if scored.unknown:
        note(f"{_some(scored.unknown, 'prediction')} with an id that the gold file does not have: ignored.")


def _some(ids: tuple[str, ...], what: str) -> str:
    from caveat.cli.terminal import plural

    shown = ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")
    return f"{plural(len(ids), what)} ({shown})"

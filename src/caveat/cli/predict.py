"""`caveat predict`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag

__all__ = ["command"]


def command(
    task: Annotated[
        str, typer.Argument(metavar="TASK", show_default=False, help="mrqa, squad, squad2 or cmrc2018.")
    ],
    data: Annotated[str, typer.Option("--data", "-d", help="The questions with their texts.")],
    out: Annotated[str, typer.Option("--out", "-o", help="Where to write the predictions, id → text.")],
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", help="A model's name or folder; the embedded one of the task's language."
        ),
    ] = None,
    na_prob_out: Annotated[
        str | None, typer.Option("--na-prob-out", help="squad2: write id → probability of no answer.")
    ] = None,
    window: Annotated[
        int | None, typer.Option("--window", help="Tokens of a window, instead of the model's own.")
    ] = None,
    stride: Annotated[
        int | None, typer.Option("--stride", help="Tokens that a window moves, instead of the model's own.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Processor cores to use; all that there are.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Answer a benchmark's questions, in its submission format.

    squad2 answers nothing where that is most probable, with the threshold on the model's card; the questions of
    the others all have answers.

    Example: `caveat predict squad2 --data dev.json --out mine.json --na-prob-out none.json`
    """
    import sys

    from caveat.cli.outputs import refuse_clashes
    from caveat.cli.terminal import named, note, plural, print_json, tracked
    from caveat.errors import UnknownNameError
    from caveat.models import find
    from caveat.runtime.reader import Reader
    from caveat.tasks.predict import PREDICTED, predict, read_asked

    if task not in PREDICTED:
        raise UnknownNameError("task with predictions", task, list(PREDICTED))
    refuse_clashes({"--out": out, "--na-prob-out": na_prob_out}, [data])
    reader = Reader.load(find(model or PREDICTED[task]), window=window, stride=stride, threads=threads)
    # Counted beforehand for the bar alone; standard input cannot be read twice.
    total = sum(1 for _ in read_asked(task, data)) if sys.stderr.isatty() and data != "-" else None
    done = predict(
        task,
        data,
        out,
        reader=reader,
        na_prob_out=na_prob_out,
        through=lambda items: tracked(items, f"{task} with {reader.card.name}", total, unit="questions"),
    )
    if json and out != "-":
        print_json(done)
    rate = done.questions / done.seconds if done.seconds else 0.0
    note(
        f"{plural(done.questions, 'prediction')} written to {named(out)}, {done.unanswered:,} of them empty, "
        f"in {done.seconds:.1f} s ({rate:.1f} questions a second)."
    )

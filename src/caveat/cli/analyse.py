"""`caveat analyse`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import DataName, JsonFlag

__all__ = ["command"]


def command(
    task: DataName,
    gold: Annotated[str, typer.Option("--gold", "-g", help="The data with the gold answers.")],
    pred: Annotated[
        str | None,
        typer.Option("--pred", "-p", help="cmqa: the predictions, in the task's submission format."),
    ] = None,
    worst: Annotated[
        int | None,
        typer.Option("--worst", min=0, help="cmqa: how many of the samples with the lowest F1 to show; 5."),
    ] = None,
    documents: Annotated[
        str | None,
        typer.Option(
            "--documents", help="conditionalqa: the pages; without them evidences stand for their pages."
        ),
    ] = None,
    kb: Annotated[
        str | None, typer.Option("--kb", help="nlpcc-kbqa: the folder of an index, or a file of triples.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="nlpcc-kbqa: a matching.json; the embedded one.")
    ] = None,
    questions: Annotated[
        int | None,
        typer.Option(
            "--questions",
            min=1,
            help="nlpcc-kbqa: how many to ask, those whose text has the smallest hashes; the 2,000 that the embedded "
            "model was not fitted to.",
        ),
    ] = None,
    distractors: Annotated[
        int | None,
        typer.Option(
            "--distractors",
            min=0,
            help="nlpcc-kbqa: how many predicates of similar entities to mix with those of each gold entity; none.",
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """What is got right and wrong, beyond the scores.

    cmqa: the error analysis of its paper, decided by offsets: whether a sample has spans of a type; which are chosen
    wrongly or missed, have the wrong type or the wrong boundaries; how many answers are connected; the worst samples.
    conditionalqa: how many of the annotated conditions the rules of a page find. sharc: how far the rules' questions
    and judgements agree with the annotators'. nlpcc-kbqa: answers from a base beside a simple baseline.

    Example: `caveat analyse cmqa --gold dev.jsonl --pred mine.jsonl`
    """
    from caveat.benchmarks.evaluate import analyse
    from caveat.cli.terminal import note, print_json, print_scores, print_table, tracked

    analysed = analyse(
        task,
        gold,
        pred,
        model=model,
        through=lambda items: tracked(items, task),
        worst=worst,
        documents=documents,
        kb=kb,
        questions=questions,
        distractors=distractors,
    )
    shown = analysed.shown()
    if json:
        print_json(analysed)
    else:
        for title, figures in shown.figures.items():
            print_scores(title, figures)
        for table in shown.tables:
            print_table(table.name, table.columns, table.rows)
    for remark in shown.remarks:
        note(remark)

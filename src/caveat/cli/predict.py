"""`caveat predict`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import (
    JsonFlag,
    LanguageModelBudget,
    RayAddress,
    TableFile,
    TaskName,
    refuse_clashes,
)


def command(
    task: TaskName,
    data: Annotated[str, typer.Option("--data", "-d", help="The questions with their texts.")],
    out: Annotated[str, typer.Option("--out", "-o", help="Where to write the predictions.")],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="A model's name or folder; the embedded one of the task. cmqa takes several, for different kinds; "
            "several readers answer together. openai:URL#NAME is a language model, for every task.",
        ),
    ] = None,
    budget: LanguageModelBudget = None,
    examples: Annotated[
        str | None,
        typer.Option(
            "--examples",
            help="mrqa, squad, squad2, cmrc2018 with a language model: a training file, of which some are shown to it.",
        ),
    ] = None,
    relations: Annotated[
        str | None,
        typer.Option(
            "--relations",
            help="cmqa: a fitted relation model's file, or the run of a relation network; that of the model's folder.",
        ),
    ] = None,
    spans: Annotated[
        str | None,
        typer.Option("--spans", help="cmqa: a file like the data whose spans are related, not a tagger's."),
    ] = None,
    na_prob_out: Annotated[
        str | None, typer.Option("--na-prob-out", help="squad2: write id → probability of no answer.")
    ] = None,
    tables: TableFile = None,
    documents: Annotated[
        str | None, typer.Option("--documents", help="conditionalqa: the pages that the questions are on.")
    ] = None,
    kb: Annotated[
        str | None,
        typer.Option("--kb", help="nlpcc-kbqa: the folder of an index, or a file of triples."),
    ] = None,
    alternatives: Annotated[
        int | None,
        typer.Option(
            "--alternatives",
            min=1,
            help="nlpcc-kbqa: of how many predicates values are given, the best first, for MRR and accuracy@N; 1.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="nlpcc-dbqa, nlpcc-tbqa: combined, ranker, lexical, bm25, overlap or embedding; combined where there "
            "is a ranker, else lexical.",
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option("--encoder", help="--method embedding: an encoder's folder or name (extra `train`)."),
    ] = None,
    window: Annotated[
        int | None, typer.Option("--window", help="Tokens of a window, instead of the model's own.")
    ] = None,
    stride: Annotated[
        int | None, typer.Option("--stride", help="Tokens that a window moves, instead of the model's own.")
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads", min=1, help="Processor cores to use; all that there are, on a cluster one a worker."
        ),
    ] = None,
    ray: RayAddress = None,
    json: JsonFlag = False,
) -> None:
    """Answer a benchmark's questions, in its submission format.

    squad2 answers nothing where that is most probable, with the threshold on the model's card; the questions of
    mrqa, squad and cmrc2018 all have answers. cmqa and multispan are answered by all spans that a tagger finds.
    nlpcc-dbqa and nlpcc-tbqa get a score for each candidate, no two of them alike. nlpcc-kbqa answers from the triples
    of --kb, nothing where that would be a guess. conditionalqa answers from the pages of --documents, each answer with
    the conditions that are open.

    Example: `caveat predict squad2 --data dev.json --out mine.json --na-prob-out none.json`
    """
    import sys
    from functools import partial

    from caveat.benchmarks.task import DataFiles
    from caveat.benchmarks.verbs import predict, questions_in
    from caveat.cli.terminal import named, note, print_json, tracked
    from caveat.cluster.work import spread_at

    refuse_clashes({"--out": out, "--na-prob-out": na_prob_out}, (data, kb, documents, spans, examples))
    # Counted beforehand for the bar alone; standard input cannot be read twice.
    counting = sys.stderr.isatty() and data != "-"
    total = questions_in(task, DataFiles(data, tables=tables)) if counting else None
    done = predict(
        task,
        data,
        out,
        model=model,
        budget=budget,
        examples=examples,
        through=partial(tracked, description=task, total=total, unit="questions"),
        relations=relations,
        spans=spans,
        na_prob_out=na_prob_out,
        tables=tables,
        documents=documents,
        kb=kb,
        alternatives=alternatives,
        method=method,
        encoder=encoder,
        window=window,
        stride=stride,
        threads=threads,
        spread=spread_at(ray, threads),
    )
    if json and out != "-":
        print_json(done)
    for remark in done.remarks(named(out)):
        note(remark)

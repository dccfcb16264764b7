"""`caveat predict`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caveat.cli.arguments import JsonFlag, TableFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from caveat.benchmarks.shared.predict_readings import Predicted

__all__ = ["command"]


def command(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK",
            show_default=False,
            help="mrqa, squad, squad2, cmrc2018, cmqa, multispan, conditionalqa, nlpcc-kbqa, nlpcc-dbqa or nlpcc-tbqa.",
        ),
    ],
    data: Annotated[str, typer.Option("--data", "-d", help="The questions with their texts.")],
    out: Annotated[str, typer.Option("--out", "-o", help="Where to write the predictions.")],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="A model's name or folder; the embedded one of the task. cmqa takes several, for different kinds.",
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
        int | None, typer.Option("--threads", min=1, help="Processor cores to use; all that there are.")
    ] = None,
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

    from caveat.benchmarks.conditionalqa.predict import CONDITIONAL_TASK
    from caveat.benchmarks.nlpcc.kbqa.predict import KNOWLEDGE_TASK
    from caveat.benchmarks.nlpcc.predict_ranked import RANKED
    from caveat.benchmarks.shared.predict_readings import PREDICTED
    from caveat.benchmarks.shared.span_tasks import SPAN_TASKS
    from caveat.cli.outputs import refuse_clashes
    from caveat.cli.terminal import tracked
    from caveat.core.errors import UnknownNameError, UsageError
    from caveat.models.embedded import find

    known = [*PREDICTED, *SPAN_TASKS, *RANKED, KNOWLEDGE_TASK, CONDITIONAL_TASK]
    if task not in known:
        raise UnknownNameError("task with predictions", task, known)
    refuse_clashes(
        {"--out": out, "--na-prob-out": na_prob_out}, [data, *filter(None, [kb, documents, spans])]
    )
    if task != "cmqa":
        _refuse(task, {"--spans": spans})
    # Counted beforehand for the bar alone; standard input cannot be read twice.
    counting = sys.stderr.isatty() and data != "-"
    if task == KNOWLEDGE_TASK:
        others = {
            "--relations": relations,
            "--na-prob-out": na_prob_out,
            "--tables": tables,
            "--method": method,
            "--encoder": encoder,
            "--window": window,
            "--stride": stride,
            "--threads": threads,
            "--model": model,
        }
        _refuse(task, others)
        _answer_from_triples(data, out, kb, counting, json)
        return
    _refuse(task, {"--kb": kb})
    if task == CONDITIONAL_TASK:
        others = {
            "--relations": relations,
            "--na-prob-out": na_prob_out,
            "--tables": tables,
            "--method": method,
            "--encoder": encoder,
        }
        _refuse(task, others)
        _answer_from_pages(data, documents, out, model or [], window, stride, threads, counting, json)
        return
    _refuse(task, {"--documents": documents})
    if task in RANKED:
        given = {
            "--relations": relations,
            "--na-prob-out": na_prob_out,
            "--window": window,
            "--stride": stride,
            "several models": model if len(model or ()) > 1 else None,
        }
        _refuse(task, given)
        _rank(task, data, out, tables, method, encoder, model[0] if model else None, threads, counting, json)
        return
    _refuse(task, {"--tables": tables, "--method": method, "--encoder": encoder})
    if task in SPAN_TASKS:
        from caveat.cli.find_spans import find_spans

        if na_prob_out is not None:
            raise UsageError(f"A tagger has no probability of no answer; --na-prob-out is not for {task}.")
        done = find_spans(
            task,
            data,
            out,
            models=model or [],
            spans=spans,
            relations=relations,
            window=window,
            stride=stride,
            threads=threads,
            counting=counting,
        )
        _report(done, out, json)
        return

    from caveat.benchmarks.shared.predict_readings import predict, read_asked
    from caveat.models.reader import Reader

    _refuse(task, {"--relations": relations, "several models": model if len(model or ()) > 1 else None})
    reader = Reader.load(
        find(model[0] if model else PREDICTED[task]), window=window, stride=stride, threads=threads
    )
    total = sum(1 for _ in read_asked(task, data)) if counting else None
    through = partial(tracked, description=f"{task} with {reader.card.name}", total=total, unit="questions")
    done = predict(task, data, out, reader=reader, na_prob_out=na_prob_out, through=through)
    _report(done, out, json)


def _refuse(task: str, options: Mapping[str, object]) -> None:
    """Raise if one of the options is given."""
    from caveat.core.errors import UsageError

    for option, value in options.items():
        if value is not None:
            raise UsageError(f"The task {task} does not take {option}.")


def _report(done: Predicted, out: str, json: bool) -> None:
    from caveat.cli.terminal import named, note, plural, print_json

    if json and out != "-":
        print_json(done)
    rate = done.questions / done.seconds if done.seconds else 0.0
    note(
        f"{plural(done.questions, 'prediction')} written to {named(out)}, {done.unanswered:,} of them empty, "
        f"in {done.seconds:.1f} s ({rate:.1f} questions a second)."
    )


def _answer_from_pages(
    data: str,
    documents: str | None,
    out: str,
    models: list[str],
    window: int | None,
    stride: int | None,
    threads: int | None,
    counting: bool,
    json: bool,
) -> None:
    from functools import partial
    from pathlib import Path

    from caveat.answerers.documents.conditional.answerer import ConditionalAnswerer
    from caveat.benchmarks.conditionalqa.format import read
    from caveat.benchmarks.conditionalqa.predict import CONDITIONAL_TASK, predict_conditional
    from caveat.cli.terminal import tracked
    from caveat.core.errors import UsageError
    from caveat.models.card import read_card
    from caveat.models.embedded import find
    from caveat.models.judge import TASK as JUDGING
    from caveat.models.judge import Judge
    from caveat.models.reader import Reader
    from caveat.models.selection import Limit
    from caveat.training.kinds.conditional.families import holds_conditional_model, predict_file

    if documents is None:
        raise UsageError("conditionalqa is answered from pages: --documents names their file.")
    if len(models) == 1 and holds_conditional_model(Path(models[0])):
        _report(predict_file(Path(models[0]), data, documents, out), out, json)
        return
    folders = [find(model) for model in models]
    judges = [folder for folder in folders if read_card(folder).task == JUDGING]
    readers = [folder for folder in folders if folder not in judges] or [find("reader-en")]
    if len(judges) > 1 or len(readers) > 1:
        raise UsageError("conditionalqa takes one reader, and one judge beside it.")
    reader = Reader.load(readers[0], window=window, stride=stride, threads=threads, limit=Limit())
    judge = Judge.load(judges[0], threads=threads) if judges else None
    total = len(read(data)) if counting else None
    through = partial(
        tracked, description=f"{CONDITIONAL_TASK} with {reader.card.name}", total=total, unit="questions"
    )
    done = predict_conditional(
        data, documents, out, reader=reader, answerer=ConditionalAnswerer(judge), through=through
    )
    _report(done, out, json)


def _answer_from_triples(data: str, out: str, kb: str | None, counting: bool, json: bool) -> None:
    from functools import partial

    from caveat.answerers.knowledge.index.build import open_knowledge
    from caveat.benchmarks.nlpcc.kbqa.format import read
    from caveat.benchmarks.nlpcc.kbqa.predict import KNOWLEDGE_TASK, predict_knowledge
    from caveat.cli.terminal import tracked
    from caveat.core.errors import UsageError

    if kb is None:
        raise UsageError("nlpcc-kbqa is answered from triples: --kb names an index of them, or their file.")
    if kb == "-":
        raise UsageError("--kb is a file, or an index that `caveat index` has made of standard input.")
    base = open_knowledge(kb, through=tracked)
    total = sum(1 for _ in read(data)) if counting else None
    through = partial(tracked, description=KNOWLEDGE_TASK, total=total, unit="questions")
    _report(predict_knowledge(data, out, base, through=through), out, json)


def _rank(
    task: str,
    data: str,
    out: str,
    tables: str | None,
    method: str | None,
    encoder: str | None,
    model: str | None,
    threads: int | None,
    counting: bool,
    json: bool,
) -> None:
    from functools import partial

    from caveat.answerers.ranking.evidence import PairScorer
    from caveat.benchmarks.nlpcc.predict_ranked import predict_ranked, ranker_for, read_lists
    from caveat.cli.terminal import named, note, plural, print_json, tracked
    from caveat.core.errors import CaveatError, UsageError

    if (encoder is not None) != (method == "embedding"):
        raise UsageError("--method embedding and --encoder go together: the encoder's folder or name.")
    scorer: PairScorer | None
    if encoder is not None:
        try:
            from caveat.training.kinds.ranker.embedding import EmbeddingScorer
        except ModuleNotFoundError as error:
            raise CaveatError(
                f"--method embedding needs {error.name}: pip install 'caveat[train]'"
            ) from error
        scorer, method = EmbeddingScorer(encoder), "ranker"
    else:
        scorer = ranker_for(task, method, model, threads=threads)
    total = sum(1 for _ in read_lists(task, data, tables)) if counting else None
    name = encoder or method or ("combined" if scorer else "lexical")
    through = partial(tracked, description=f"{task}, {name}", total=total, unit="questions")
    done = predict_ranked(task, data, out, tables=tables, method=method, scorer=scorer, through=through)
    if json and out != "-":
        print_json(done)
    if done.alone:
        note(f"{plural(done.alone, 'question')} with one candidate only, which is first whatever its score.")
    rate = done.candidates / done.seconds if done.seconds else 0.0
    note(
        f"{plural(done.candidates, 'score')} for {plural(done.questions, 'question')} written to {named(out)}, by "
        f"{encoder or done.method}{f' ({done.model})' if done.model else ''}, in {done.seconds:.1f} s "
        f"({rate:.0f} pairs a second)."
    )

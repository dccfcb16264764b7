"""Predictions beside the gold answers: `caveat eval`, `caveat analyse`, `caveat floors`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caveat.cli.arguments import DataName, JsonFlag, TaskName, refuse_clashes


def eval_command(
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
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="N", min=1, help="nlpcc-*: accuracy@N too, beside N of 1, 2 and 3."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Score predictions with the benchmark's published metrics, all on 0–100.

    A missing prediction counts as wrong and the number missing is printed; `--official` does instead
    whatever the published scorer does.

    `answers` is no benchmark: it holds what `caveat ask --questions` wrote (--pred) against a CSV of your own with the
    columns `question` and `expected` (--gold), and says how many are right of what was called how probable.

    Example: `caveat eval cmrc2018 --gold trial.json --pred mine.json`, `caveat eval answers --gold expected.csv --pred
    answers.csv`
    """
    from caveat.benchmarks.task import EvaluationOptions
    from caveat.benchmarks.verbs import evaluate, evaluate_official
    from caveat.cli.terminal import note, print_json, print_scores
    from caveat.core.json_files import write_json_lines

    refuse_clashes({"--details": details, "--json": "-" if json else None}, (gold, pred, na_prob))
    if task == OWN_QUESTIONS:
        _eval_own(gold, pred, details, json=json)
        return
    options = EvaluationOptions(first, na_prob, na_threshold, skip_no_answer, at)
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


# The task that is no benchmark: questions of one's own, and the answers of `caveat ask --questions`.
OWN_QUESTIONS = "answers"


def _eval_own(gold: str, pred: str, details: Path | None, *, json: bool) -> None:
    from msgspec.structs import replace

    from caveat.benchmarks.own_questions import measure_answers
    from caveat.cli.terminal import in_words, note, print_json, print_table
    from caveat.core.json_files import write_json_lines
    from caveat.render.words import plural

    measured = measure_answers(gold, pred)
    if details:
        write_json_lines(details, measured.details)
    if json:
        print_json(replace(measured, details=()))
        return
    names = ("questions", "right", "confidently_wrong", "not_answered_though_expected", "calibration_error")
    print_table("answers", ["", ""], [(in_words(name), getattr(measured, name)) for name in names])
    for title, claims in (("by claimed probability", measured.by_claim), ("by word", measured.by_certainty)):
        rows = [(each.claimed, each.questions, each.mean_claim, each.right) for each in claims]
        print_table(title, ["claimed", "questions", "mean claim", "right"], rows)
    if measured.missing:
        note(f"no answer for {plural(measured.missing, 'question')}: counted as wrong.")


def _some(ids: tuple[str, ...], what: str) -> str:
    from caveat.render.words import plural

    shown = ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")
    return f"{plural(len(ids), what)} ({shown})"


def analyse_command(
    task: DataName,
    gold: Annotated[str, typer.Option("--gold", "-g", help="The data with the gold answers.")],
    pred: Annotated[
        str | None,
        typer.Option("--pred", "-p", help="The predictions, in the task's submission format."),
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
    conditionalqa: with --pred the error of each question and what other thresholds for conditions give, without it how
    many of the annotated conditions the rules of a page find. mrqa, squad, squad2, cmrc2018, nlpcc-dbqa, nlpcc-tbqa:
    the scores by question type, lengths, place of the answer and words in common with it. sharc: how far the rules'
    questions and judgements agree with the annotators'. nlpcc-kbqa: answers from a base beside a simple baseline.

    Example: `caveat analyse cmqa --gold dev.jsonl --pred mine.jsonl`
    """
    from caveat.benchmarks.verbs import analyse
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


def floors_command(
    task: Annotated[str, typer.Argument(metavar="TASK", show_default=False, help="Any but multispan.")],
    gold: Annotated[str, typer.Option("--gold", "-g", help="The data with the gold answers.")],
    json: JsonFlag = False,
) -> None:
    """What trivial systems score, so that a score can be read.

    mrqa, squad, squad2, cmrc2018: the first sentence; the sentence that fits best by BM25; in squad2 never an answer.
    conditionalqa: always “yes” without conditions; never an answer; the gold answers without their conditions. cmqa:
    no label; every piece between marks a fine answer. nlpcc-dbqa, nlpcc-tbqa: the order of the file; BM25. nlpcc-kbqa:
    the most frequent answer.

    Example: `caveat floors conditionalqa --gold dev.json`
    """
    from caveat.benchmarks.verbs import floors
    from caveat.cli.terminal import in_words, print_json, print_scores

    found = floors(task, gold)
    if json:
        print_json({name: scored.scores for name, scored in found.items()})
        return
    for name, scored in found.items():
        print_scores(f"{task}: {in_words(name)}", scored.scores)

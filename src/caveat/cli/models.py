"""`caveat models list|show|get|import|calibrate`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from caveat.cli.arguments import JsonFlag, LanguageModelBudget

if TYPE_CHECKING:
    from caveat.models.card import Card
    from caveat.models.embedded import Description

app = typer.Typer(no_args_is_help=True, help="The models inside the package, and those from elsewhere.")


class _Task(StrEnum):
    READER = "reader"
    JUDGE = "judge"
    RANKER = "ranker"
    TAGGER = "tagger"


class _Format(StrEnum):
    SQUAD = "squad"
    MRQA = "mrqa"
    CMRC2018 = "cmrc2018"


@app.command("list")
def list_command(json: JsonFlag = False) -> None:
    """The models that came with the package, and those that `caveat models get` has fetched.

    Example: `caveat models list`
    """
    from caveat.cli.terminal import note, print_json, print_table
    from caveat.models.embedded import list_models

    found = list_models()
    if json:
        print_json(found)
        return
    if not found:
        note("no model came with this installation.")
        return
    columns = ["", "language", "encoder", "precision", "size", "licence"]
    rows = [
        [
            model.card.name,
            model.card.language,
            model.card.encoder,
            model.card.precision,
            f"{model.bytes / 1e6:.1f} MB",
            model.card.licence,
        ]
        for model in found
    ]
    print_table("models", columns, rows)


@app.command("show")
def show_command(
    model: Annotated[
        str, typer.Argument(metavar="NAME_OR_FOLDER", show_default=False, help="A model inside, or a folder.")
    ],
    json: JsonFlag = False,
) -> None:
    """A model's card: what it is, was trained on and measured at, and must not be used for.

    Example: `caveat models show reader-zh`
    """
    from caveat.cli.terminal import print_json
    from caveat.models.embedded import show_model

    described = show_model(model)
    if json:
        print_json(described)
    else:
        _print(described)


@app.command("get")
def get_command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", show_default=False, help="A public model; without one, all are listed."
        ),
    ] = None,
    fp32: Annotated[
        bool, typer.Option("--fp32", help="Keep float32: four times the size, and slower.")
    ] = False,
    folder: Annotated[
        str | None,
        typer.Option("--from", metavar="DIR", help="The checkpoint's files, instead of the network's."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Fetch a public model from the Hugging Face hub, and keep it under its name, for `--model NAME`.

    Nothing is fetched before it is asked for. The licences are those of the weights.

    Example: `caveat models get roberta-base-squad2`
    """
    from caveat.cli.terminal import note, print_json, print_table
    from caveat.models.embedded import public_models, show_model

    if name is None:
        models = list(public_models().values())
        if json:
            print_json(models)
            return
        columns = ["", "task", "language", "size", "licence", "on the hub"]
        rows = [
            (
                model.name,
                model.task,
                model.language,
                f"{model.size}, {model.parameters} M",
                model.licence,
                model.hub,
            )
            for model in models
        ]
        print_table("public models", columns, rows)
        return
    from caveat.training.importing.public import get_model

    place, _ = get_model(name, int8=not fp32, source=folder, note=note)
    described = show_model(place)
    if json:
        print_json(described)
    else:
        _print(described)


@app.command("import")
def import_command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="NAME_OR_FOLDER",
            show_default=False,
            help="A checkpoint of transformers: a folder, or a hub name.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model folder to write.")],
    task: Annotated[
        _Task | None,
        typer.Option(
            "--task", "-t", show_default=False, help="What it is; its configuration says otherwise."
        ),
    ] = None,
    labels: Annotated[
        str,
        typer.Option(
            "--labels", help="Names of its outputs, in order, with commas, where its own say nothing."
        ),
    ] = "",
    question: Annotated[
        bool | None,
        typer.Option(
            "--question/--no-question",
            show_default=False,
            help="Whether a tagger reads a question with its text; those with labels B, I and O do.",
        ),
    ] = None,
    int8: Annotated[
        bool, typer.Option("--int8", help="Quantise: a quarter of the size, and faster.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option("--data", "-d", help="Questions with answers, to calibrate and measure a reader on."),
    ] = None,
    format: Annotated[_Format, typer.Option("--format", "-f", help="The layout of --data.")] = _Format.SQUAD,
    language: Annotated[str, typer.Option("--language", help="en, zh, or mul for many.")] = "mul",
    licence: Annotated[
        str, typer.Option("--licence", help="The terms of the weights, for the card.")
    ] = "unstated",
    window: Annotated[
        int | None, typer.Option("--window", help="Tokens of a window; 384, or what fits.")
    ] = None,
    stride: Annotated[int, typer.Option("--stride", help="Tokens that a window moves.")] = 128,
    json: JsonFlag = False,
) -> None:
    """Make a model folder of a reader, judge, ranker or tagger of transformers, for `--model FOLDER`.

    Readers answer extractive questions, judges are cross-encoders for natural language inference, rankers have one
    score for a pair, taggers have BIO labels.

    Example: `caveat models import deepset/roberta-base-squad2 --out models/roberta --int8`
    """
    from caveat.cli.terminal import note, print_json
    from caveat.models.embedded import show_model
    from caveat.training.importing.importing import import_model

    import_model(
        source,
        out,
        task=task.value if task else None,
        labels=[name.strip() for name in labels.split(",")] if labels else (),
        with_question=question,
        int8=int8,
        data=data,
        format=format.value,
        language=language,
        licence=licence,
        window=window,
        stride=stride,
        note=note,
    )
    described = show_model(out)
    if json:
        print_json(described)
    else:
        _print(described)


@app.command("calibrate")
def calibrate_command(
    model: Annotated[
        str,
        typer.Argument(metavar="openai:URL#NAME", show_default=False, help="A language model."),
    ],
    task: Annotated[
        str, typer.Option("--task", "-t", help="cmrc2018, conditionalqa, mrqa, squad or squad2.")
    ],
    data: Annotated[str, typer.Option("--data", "-d", help="Tuning questions of the task, with answers.")],
    documents: Annotated[
        str | None, typer.Option("--documents", help="conditionalqa: the pages that the questions are on.")
    ] = None,
    first: Annotated[int | None, typer.Option("--first", min=1, help="Only so many questions.")] = None,
    samples: Annotated[
        int,
        typer.Option(
            "--samples", min=0, help="Answers beside the first, for a server without log-probabilities."
        ),
    ] = 0,
    budget: LanguageModelBudget = None,
    json: JsonFlag = False,
) -> None:
    """Find out how often a language model is right, and keep that as its card in the configuration folder.

    Its answers then have calibrated probabilities, and whichever of it and the embedded reader is the more probable
    answers: the card says what was best on the tuning questions.

    Example: `caveat models calibrate openai:http://127.0.0.1:8080/v1#qwen --task squad2 --data dev.json --first 100`
    """
    from caveat.benchmarks.calibrate import calibrate
    from caveat.cli.terminal import note, print_json, print_table, tracked

    done = calibrate(
        model,
        task,
        data,
        documents=documents,
        first=first,
        samples=samples,
        budget=budget,
        through=lambda found: tracked(found, task, first, unit="questions"),
    )
    if json:
        print_json(done)
    else:
        card = done.card
        rows: list[tuple[str, Any]] = [
            ("questions", card.questions),
            *((f"F1, {name}", value) for name, value in card.figures.items()),
            ("used", card.use),
            ("calibration error", f"{card.expected_calibration_error or 0.0:.3f}"),
            ("card", done.path),
        ]
        print_table(card.endpoint, ["", ""], rows)
    note(done.closing)


def _print(described: Description) -> None:
    from caveat.cli.terminal import print_scores, print_table

    card = described.card
    error = card.expected_calibration_error
    facts: list[tuple[str, Any]] = [
        ("folder", described.folder),
        ("size", f"{described.bytes / 1e6:.1f} MB"),
        ("task", card.task),
        ("language", card.language),
        ("encoder", card.encoder),
        *([("revision", card.source.revision)] if card.source and card.source.revision else []),
        ("precision", card.precision),
        ("licence", card.licence),
        ("window", f"{card.window} tokens, moving by {card.stride}"),
        *_of_task(card),
        ("temperature", f"{card.temperature:.3f}"),
        ("calibration error", "not calibrated" if error is None else f"{error:.3f}"),
        ("checksum", "verified" if card.checksum else "none: the card is of before, or was edited"),
        *(("not for", reason) for reason in card.not_for),
    ]
    print_table(card.name, ["", ""], facts)
    if card.data:
        columns = ["data", "use", "questions", "licence"]
        print_table("", columns, [[set.name, set.use, set.questions, set.licence] for set in card.data])
    for name, figures in card.figures.items():
        if isinstance(figures, dict):
            print_scores(name, figures)


def _of_task(card: Card) -> list[tuple[str, str]]:
    """What only readers have, or only taggers."""
    if card.task in ("judge", "ranker"):
        return []
    if card.layers:
        layers = "; ".join(", ".join(kinds) for kinds in card.layers)
        whole = [("whole clauses", ", ".join(card.clause_kinds))] if card.clause_kinds else []
        return [("spans", layers), *whole]
    return [
        ("longest answer", f"{card.max_answer_tokens} tokens"),
        ("no answer", "the first token's scores" if card.null == "cls" else "never: it always answers"),
        ("threshold", f"{card.threshold:.3f}"),
    ]

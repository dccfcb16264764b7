"""A language model's card: how often it is right, and the embedded reader beside it, on questions with answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, tee
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from caveat.answerers.documents.answerer import DocumentAnswerer
from caveat.answerers.prompted.answerer import Judged, PromptedAnswerer
from caveat.answerers.prompted.confidence import (
    Asking,
    Tuned,
    TunedQuestion,
    default_card,
    fitted,
    write_tuned,
)
from caveat.benchmarks.conditionalqa import predict as conditional
from caveat.benchmarks.conditionalqa.format import write_predictions
from caveat.benchmarks.registry import TASKS
from caveat.benchmarks.shared.passage import TextQuestion
from caveat.benchmarks.shared.reading_prediction import asked_of_passages
from caveat.benchmarks.shared.scores import write_answers
from caveat.benchmarks.task import DataFiles, EvaluationOptions, Through
from caveat.core.errors import CaveatError, UnknownNameError, UsageError
from caveat.core.files import PathLike
from caveat.core.records import Reply
from caveat.models.embedded import find
from caveat.models.joint import load_reader
from caveat.models.language_model.client import client_among
from caveat.models.language_model.completions import prompt_file
from caveat.models.selection import Limit

# The tasks whose questions a card can be fitted to, and the reader beside the model.
CALIBRATED = {
    "cmrc2018": "reader-zh",
    "conditionalqa": "reader-en",
    "mrqa": "reader-en",
    "squad": "reader-en",
    "squad2": "reader-en",
}


class Calibrated(msgspec.Struct, frozen=True):
    """Where a card is kept, and the card; `closing` says what was sent."""

    path: str
    card: Tuned
    closing: str


class _Both(NamedTuple):
    """A question answered by both, each as its submission; the model's is the other's where it cannot be used."""

    id: str
    judged: Judged
    model: Any
    embedded: Any


def calibrate(
    model: str,
    task: str,
    data: PathLike,
    *,
    documents: PathLike | None = None,
    first: int | None = None,
    samples: int = 0,
    budget: str | None = None,
    through: Through = iter,
) -> Calibrated:
    """Ask a language model questions of a task, compare with the gold answers, and keep its card.

    The card says how probable each of its answers is, by its log-probability, by `samples` beside the first where it
    tells none, and by whether the embedded reader agrees; and whether it, the reader, or the more probable of the two
    is to be believed. With `first` only so many questions are asked.
    """
    if task not in CALIBRATED:
        raise UnknownNameError("task to calibrate on", task, list(CALIBRATED))
    _, client = client_among([model], budget)
    if client is None:
        raise UsageError(f"Only a language model is calibrated so, openai:URL#NAME; got {model!r}.")
    kind: Asking = "reading" if task == "conditionalqa" else "span"
    card = msgspec.structs.replace(default_card(client.endpoint), samples=samples)
    reader = load_reader(find(CALIBRATED[task]), limit=Limit() if kind == "reading" else None)
    if kind == "reading":
        answerer = PromptedAnswerer(DocumentAnswerer([reader]), client, card=card)
        found = _conditional(answerer, data, documents, first)
        write: Callable[[PathLike, Iterable[tuple[str, Any]]], None] = _write_conditional
    else:
        answerer = PromptedAnswerer(DocumentAnswerer([reader], retrieve=False), client, card=card)
        found = _spans(answerer, task, data, first)
        write = _write_spans
    both = list(through(found))
    if not any(each.judged.found is not None for each in both):
        raise CaveatError("The language model gave no answer that can be used, so there is nothing to fit.")
    options = EvaluationOptions(first=first)
    worth = [
        _worth(task, data, options, write, [(each.id, getattr(each, side)) for each in both])
        for side in ("model", "embedded")
    ]
    questions = [
        TunedQuestion(each.judged.known, model, embedded, each.judged.found is not None)
        for each, model, embedded in zip(both, *worth, strict=True)
    ]
    tuned = msgspec.structs.replace(
        fitted(client.endpoint, questions), task=task, samples=samples, prompt=prompt_file(kind).version
    )
    path = write_tuned(client.endpoint, kind, tuned)
    return Calibrated(str(path), tuned, client.closing)


def _spans(answerer: PromptedAnswerer, task: str, data: PathLike, first: int | None) -> Iterator[_Both]:
    questions: Iterable[TextQuestion] = islice(TASKS[task].read(DataFiles(data)), first)
    mine, theirs = tee(questions)
    for each, judged in zip(mine, answerer.judge(asked_of_passages(answerer, theirs)), strict=True):
        embedded = _text(judged.embedded, task)
        model = embedded if judged.found is None else _text(answerer.reply_of_model(judged), task)
        yield _Both(each.id, judged, model, embedded)


def _text(reply: Reply, task: str) -> str:
    if not reply.answers or (TASKS[task].may_be_none and not reply.answered):
        return ""
    return reply.answers[0].text


def _conditional(
    answerer: PromptedAnswerer, data: PathLike, documents: PathLike | None, first: int | None
) -> Iterator[_Both]:
    if documents is None:
        raise UsageError("conditionalqa is answered from pages: --documents names their file.")
    every, pages = conditional.questions_and_pages(data, documents)
    questions = every[:first]
    asked = conditional.asked_of_pages(questions, pages, answerer.embedded)
    for each, judged in zip(questions, answerer.judge(asked), strict=True):
        own = conditional.conditional_prediction(
            each, judged.asked, judged.embedded, pages, answerer.embedded
        )
        model = own
        if judged.found is not None and judged.found.answers:
            reply = answerer.reply_of_model(judged)
            model = conditional.prediction_of_model(each, judged.asked, reply, pages)
        yield _Both(each.id, judged, model, own)


def _write_spans(path: PathLike, predictions: Iterable[tuple[str, Any]]) -> None:
    write_answers(path, dict(predictions))


def _write_conditional(path: PathLike, predictions: Iterable[tuple[str, Any]]) -> None:
    write_predictions(path, [prediction for _, prediction in predictions])


def _worth(
    task: str,
    data: PathLike,
    options: EvaluationOptions,
    write: Callable[[PathLike, Iterable[tuple[str, Any]]], None],
    predictions: Sequence[tuple[str, Any]],
) -> list[float]:
    """How good each prediction is by the task's own metric, from 0 to 1."""
    with TemporaryDirectory(prefix="caveat-") as folder:
        path = Path(folder, "predictions.json")
        write(path, predictions)
        scored = TASKS[task].score(data, path, options)
    # An answer is worth less with conditions that it does not have, where the metric says so.
    measure = "f1_with_conditions" if task == "conditionalqa" else "f1"
    by_id = {detail["id"]: float(detail[measure]) / 100 for detail in scored.details}
    return [by_id.get(id, 0.0) for id, _ in predictions]

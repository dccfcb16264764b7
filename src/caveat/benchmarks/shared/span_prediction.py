"""Taggers' predictions on the benchmarks whose answer is all spans of a text, in the benchmark's own layout."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import tee
from time import perf_counter
from typing import Any, Protocol

import msgspec

from caveat.answerers.contract import Asked
from caveat.answerers.documents.answerer import DocumentAnswerer
from caveat.answerers.prompted.asking import ask_for_spans
from caveat.benchmarks.task import Predicted, Through
from caveat.core.files import PathLike
from caveat.core.records import Document, Question
from caveat.models.embedded import find
from caveat.models.language_model.client import Client
from caveat.models.tagger import TaggedSpan, Tagger
from caveat.models.windowed_model import ReadRequest

__all__ = [
    "TOGETHER",
    "FoundSpans",
    "Key",
    "PredictedSpans",
    "SpanTask",
    "load_taggers",
    "predict_spans",
    "predicted_spans",
    "prompted_spans",
    "span_predictions",
]

Key = tuple[str, int, int]
"""A span as a benchmark compares it: kind, start, end."""

FoundSpans = tuple[Any, list[Key]]
"""A record of a benchmark and the spans of its text."""

PredictedSpans = tuple[Any, Any, bool]
"""A record, its prediction, and whether that has any span."""

# Texts that are sent to a worker at a time.
TOGETHER = 32


class AnswererLoader(Protocol):
    """Loads what finds all spans with the models of names or folders."""

    def __call__(
        self,
        models: Sequence[PathLike],
        *,
        window: int | None = None,
        stride: int | None = None,
        threads: int | None = None,
    ) -> DocumentAnswerer: ...


def load_taggers(
    models: Sequence[PathLike],
    *,
    window: int | None = None,
    stride: int | None = None,
    threads: int | None = None,
) -> DocumentAnswerer:
    """An answerer with the taggers of names or folders, each for the kinds of span that it knows."""
    return DocumentAnswerer(
        taggers=[Tagger.load(find(model), window=window, stride=stride, threads=threads) for model in models]
    )


class SpanTask(msgspec.Struct, frozen=True):
    """How a benchmark's records are read and asked, and what becomes of the spans found in their texts."""

    name: str
    # The embedded model that fits it, and what loads one or several.
    model: str
    load: AnswererLoader
    # Its data files end so.
    suffix: str
    read: Callable[[PathLike], Iterable[Any]]
    # Records as a file of the benchmark's.
    write: Callable[[PathLike, Iterable[Any]], None]
    asked: Callable[[Any], ReadRequest]
    gold: Callable[[Any], frozenset[Key]]
    # What a tagger found in a record's text, as the benchmark compares it, from left to right.
    found: Callable[[Any, Iterable[TaggedSpan]], list[Key]]
    # A record's prediction, and predictions with their records as a file.
    prediction: Callable[[Any, Sequence[Key]], Any]
    submit: Callable[[PathLike, Iterable[tuple[Any, Any]]], None]
    # Figures of what was found in records, over these kinds of span.
    score: Callable[[Sequence[Any], Sequence[Sequence[Key]], Collection[str]], dict[str, Any]]
    # Those figures in a few words.
    shown: Callable[[Mapping[str, Any]], str]


def predicted_spans(
    task: SpanTask,
    found: Iterable[FoundSpans],
    complete: Callable[[Any], Any] = lambda prediction: prediction,
) -> Iterator[PredictedSpans]:
    """What becomes of the spans; `complete` adds to a prediction what does not come from them alone."""
    for record, keys in found:
        yield record, complete(task.prediction(record, keys)), bool(keys)


def predict_spans(
    task: SpanTask,
    predicted: Iterable[PredictedSpans],
    out: PathLike,
    *,
    model: str,
    through: Through = iter,
) -> Predicted:
    """Write what was found for every record of a data file, in the task's submission format, in the data's order."""
    begin = perf_counter()
    questions = unanswered = 0

    def predictions() -> Iterator[tuple[Any, Any]]:
        nonlocal questions, unanswered
        for record, prediction, answered in through(predicted):
            questions += 1
            unanswered += not answered
            yield record, prediction

    task.submit(out, predictions())
    return Predicted(task.name, model, questions, unanswered, perf_counter() - begin)


def prompted_spans(
    task: SpanTask, records: Sequence[Any], answerer: DocumentAnswerer, client: Client, through: Through
) -> list[FoundSpans]:
    """Every record with all spans that a language model quotes; where it gives none, with those of the answerer."""
    asked = ((request.question, request.text) for request in map(task.asked, records))
    said = list(through(ask_for_spans(client, asked)))
    left = [record for record, (places, _) in zip(records, said, strict=True) if not places]
    embedded = span_predictions(task, left, answerer)

    def spans(record: Any, places: Sequence[tuple[int, int]]) -> list[Key]:
        text = task.asked(record).text
        return task.found(
            record, [TaggedSpan("answer", text[start:end], start, end, 1.0) for start, end in places]
        )

    return [
        (record, spans(record, places)) if places else next(embedded)
        for record, (places, _) in zip(records, said, strict=True)
    ]


def span_predictions(
    task: SpanTask, records: Iterable[Any], answerer: DocumentAnswerer
) -> Iterator[FoundSpans]:
    """Every record with all the spans that are found in its text, in order, as a stream."""
    mine, theirs = tee(records)
    asked = (
        Asked(Question(request.question), (answerer.prepare(Document(request.text)),))
        for request in map(task.asked, theirs)
    )
    for record, spans in zip(mine, answerer.all_spans(asked), strict=True):
        yield record, task.found(record, spans)

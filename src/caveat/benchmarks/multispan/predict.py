"""MultiSpanQA's answers, all spans of a text, by a tagger or by a reader whose best span is taken apart."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from caveat.answerers.documents.answerer import DocumentAnswerer
from caveat.benchmarks.multispan import format as multispan
from caveat.benchmarks.multispan import metric as multispan_metric
from caveat.benchmarks.multispan.format import MultiSpanExample
from caveat.benchmarks.shared.prompted import with_closing
from caveat.benchmarks.shared.span_prediction import (
    TOGETHER,
    Key,
    SpanTask,
    load_taggers,
    predict_spans,
    predicted_spans,
    prompted_spans,
    span_predictions,
)
from caveat.benchmarks.task import ModelOptions, Predicted, Prediction, Through
from caveat.core.files import PathLike
from caveat.core.spreading import Stream
from caveat.models.card import read_card
from caveat.models.embedded import find
from caveat.models.joint import TASK as JOINT
from caveat.models.language_model.client import client_among
from caveat.models.reader import Reader
from caveat.models.tagger import TaggedSpan
from caveat.models.windowed_model import ReadRequest

# Its spans have one kind.
_ANSWER = "answer"


class MultiSpanOptions(ModelOptions, frozen=True):
    """Which tagger or reader, and how it reads."""

    model: PathLike | None = None


def _run(data: PathLike, out: PathLike, options: MultiSpanOptions, through: Through) -> Predicted:
    named = [] if options.model is None else [options.model]
    others, client = client_among(named, options.budget)
    load = partial(
        _load,
        others or [SPANS.model],
        window=options.window,
        stride=options.stride,
        threads=options.threads,
    )
    answerer = load()
    if client is not None:
        given = prompted_spans(SPANS, list(SPANS.read(data)), answerer, client, through)
        done = predict_spans(SPANS, predicted_spans(SPANS, given), out, model=client.endpoint.name)
        return with_closing(done, client.closing)
    card = (answerer.taggers[0] if answerer.taggers else answerer.readers[0]).card
    predicted = options.spread(partial(_predicting, load), SPANS.read(data), TOGETHER)
    return predict_spans(SPANS, predicted, out, model=card.name, through=through)


def _predicting(load: Callable[[], DocumentAnswerer]) -> Stream:
    answerer = load()
    return lambda records: predicted_spans(SPANS, span_predictions(SPANS, records, answerer))


def _load(
    models: Sequence[PathLike],
    *,
    window: int | None = None,
    stride: int | None = None,
    threads: int | None = None,
) -> DocumentAnswerer:
    """With a tagger, or with a reader, whose best span is listed item by item."""
    (folder,) = map(find, models)
    if read_card(folder).task in ("reader", JOINT):
        reader = Reader.load(folder, window=window, stride=stride, threads=threads)
        return DocumentAnswerer([reader], retrieve=False)
    return load_taggers([folder], window=window, stride=stride, threads=threads)


def _read(path: PathLike) -> Sequence[MultiSpanExample]:
    return multispan.read(path).examples


def _asked(example: MultiSpanExample) -> ReadRequest:
    return ReadRequest(" ".join(example.question), " ".join(example.context))


def _gold(example: MultiSpanExample) -> frozenset[Key]:
    (question,) = multispan.to_passage(example).questions
    return frozenset(
        (_ANSWER, span.start, span.start + len(span.text))
        for answer in question.answers
        for span in answer
        if span.start is not None
    )


def _found(example: MultiSpanExample, spans: Iterable[TaggedSpan]) -> list[Key]:
    """Whole tokens of the data's own: a model's may be smaller."""
    edges = [0]
    for token in example.context:
        edges.append(edges[-1] + len(token) + 1)
    places = set()
    for span in spans:
        inside = [
            (start, after - 1)
            for start, after in pairwise(edges)
            if start < span.end and span.start < after - 1
        ]
        if inside:
            places.add((_ANSWER, inside[0][0], inside[-1][1]))
    return sorted(places)


def _prediction(example: MultiSpanExample, keys: Sequence[Key]) -> list[str]:
    text = " ".join(example.context)
    return list(dict.fromkeys(text[start:end] for _, start, end in keys))


def _submit(path: PathLike, predictions: Iterable[tuple[MultiSpanExample, list[str]]]) -> None:
    multispan.write_predictions(path, {example.id: texts for example, texts in predictions})


def _score(
    examples: Sequence[MultiSpanExample], found: Sequence[Sequence[Key]], kinds: Collection[str]
) -> dict[str, Any]:
    gold = {example.id: multispan.answers(example) for example in examples}
    predicted = {
        example.id: _prediction(example, keys) for example, keys in zip(examples, found, strict=True)
    }
    scores = multispan_metric.score(gold, predicted).scores
    return {"exact": scores["exact"], "partial": scores["partial"], "questions": len(examples)}


def _shown(scores: Mapping[str, Any]) -> str:
    return (
        f"F1 {scores['exact']['f1']:.1f} exact, {scores['partial']['f1']:.1f} partial "
        f"on {scores['questions']:,} questions"
    )


SPANS = SpanTask(
    name="multispan",
    model="reader-en",
    load=_load,
    suffix=".json",
    read=_read,
    write=multispan.write,
    asked=_asked,
    gold=_gold,
    found=_found,
    prediction=_prediction,
    submit=_submit,
    score=_score,
    shown=_shown,
)
PREDICTION = Prediction(MultiSpanOptions, _run)

"""The benchmarks whose answer is all spans of a text: what is asked, and how spans are submitted and scored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec

from caveat.answerers.documents.structure.spans import KINDS
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa import metric as label_sets
from caveat.benchmarks.multispan import format as multispan
from caveat.benchmarks.multispan import metric as multispan_metric
from caveat.core.files import PathLike
from caveat.models.queue import ReadRequest
from caveat.models.tagger import TaggedSpan

__all__ = ["SPAN_TASKS", "Key", "SpanTask"]

Key = tuple[str, int, int]
"""A span as a benchmark compares it: kind, start, end."""


@dataclass(frozen=True)
class SpanTask:
    """How a benchmark's records are read and asked, and what becomes of the spans found in their texts."""

    # The embedded model that fits it.
    model: str
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


# CMQA


def _read_cmqa(path: PathLike) -> Iterator[cmqa.CmqaSample]:
    return (sample for _, sample in cmqa.read(path))


def _asked_cmqa(sample: cmqa.CmqaSample) -> ReadRequest:
    return ReadRequest(sample.question, sample.context)


def _gold_cmqa(sample: cmqa.CmqaSample) -> frozenset[Key]:
    return frozenset((kind, span.start, span.end) for kind in KINDS for span in getattr(sample, kind))


def _found_cmqa(sample: cmqa.CmqaSample, spans: Iterable[TaggedSpan]) -> list[Key]:
    return [(span.kind, span.start, span.end) for span in spans]


def _prediction_cmqa(sample: cmqa.CmqaSample, keys: Sequence[Key]) -> cmqa.CmqaSample:
    """The sample with these spans in the place of its own, and without its relations."""
    found: dict[str, Any] = {
        kind: tuple(
            cmqa.LabelledSpan(sample.context[start:end], start, end)
            for of_kind, start, end in keys
            if of_kind == kind
        )
        for kind in KINDS
    }
    relations: dict[str, Any] = {"condition_coarse": (), "condition_fine": (), "coarse_fine": ()}
    return msgspec.structs.replace(sample, **found, **relations)


def _submit_cmqa(path: PathLike, predictions: Iterable[tuple[cmqa.CmqaSample, cmqa.CmqaSample]]) -> None:
    cmqa.write(path, (prediction for _, prediction in predictions))


def _score_cmqa(
    samples: Sequence[cmqa.CmqaSample], found: Sequence[Sequence[Key]], kinds: Collection[str]
) -> dict[str, Any]:
    def labels(keys: Iterable[Key]) -> dict[str, set[tuple[int, int]]]:
        return {
            kind: {(s, e) for of_kind, s, e in keys if of_kind == kind} for kind in KINDS if kind in kinds
        }

    gold = {str(number): labels(_gold_cmqa(sample)) for number, sample in enumerate(samples)}
    predicted = {str(number): labels(keys) for number, keys in enumerate(found)}
    scores = label_sets.score(gold, predicted).scores

    def figures(of: str) -> dict[str, Any]:
        return {name: scores[of][name] for name in ("exact_match", "f1")}

    return {
        **figures("all"),
        **{kind: figures(kind) for kind in KINDS if kind in kinds},
        "questions": len(samples),
    }


def _shown_cmqa(scores: Mapping[str, Any]) -> str:
    def shown(f1: float | None) -> str:
        return "–" if f1 is None else f"{f1:.1f}"

    kinds = ", ".join(f"{kind} {shown(scores[kind]['f1'])}" for kind in KINDS if kind in scores)
    return f"F1 {shown(scores['f1'])} ({kinds}) on {scores['questions']:,} questions"


# MultiSpanQA: tokens joined by blanks; its spans have one kind.

_ANSWER = "answer"


def _read_multispan(path: PathLike) -> Sequence[multispan.MultiSpanExample]:
    return multispan.read(path).examples


def _asked_multispan(example: multispan.MultiSpanExample) -> ReadRequest:
    return ReadRequest(" ".join(example.question), " ".join(example.context))


def _gold_multispan(example: multispan.MultiSpanExample) -> frozenset[Key]:
    (question,) = multispan.to_passage(example).questions
    return frozenset(
        (_ANSWER, span.start, span.start + len(span.text))
        for answer in question.answers
        for span in answer
        if span.start is not None
    )


def _found_multispan(example: multispan.MultiSpanExample, spans: Iterable[TaggedSpan]) -> list[Key]:
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


def _prediction_multispan(example: multispan.MultiSpanExample, keys: Sequence[Key]) -> list[str]:
    text = " ".join(example.context)
    return list(dict.fromkeys(text[start:end] for _, start, end in keys))


def _submit_multispan(
    path: PathLike, predictions: Iterable[tuple[multispan.MultiSpanExample, list[str]]]
) -> None:
    multispan.write_predictions(path, {example.id: texts for example, texts in predictions})


def _score_multispan(
    examples: Sequence[multispan.MultiSpanExample], found: Sequence[Sequence[Key]], kinds: Collection[str]
) -> dict[str, Any]:
    gold = {example.id: multispan.answers(example) for example in examples}
    predicted = {
        example.id: _prediction_multispan(example, keys)
        for example, keys in zip(examples, found, strict=True)
    }
    scores = multispan_metric.score(gold, predicted).scores
    return {"exact": scores["exact"], "partial": scores["partial"], "questions": len(examples)}


def _shown_multispan(scores: Mapping[str, Any]) -> str:
    return (
        f"F1 {scores['exact']['f1']:.1f} exact, {scores['partial']['f1']:.1f} partial "
        f"on {scores['questions']:,} questions"
    )


SPAN_TASKS = {
    "cmqa": SpanTask(
        "structure-zh",
        ".jsonl",
        _read_cmqa,
        cmqa.write,
        _asked_cmqa,
        _gold_cmqa,
        _found_cmqa,
        _prediction_cmqa,
        _submit_cmqa,
        _score_cmqa,
        _shown_cmqa,
    ),
    "multispan": SpanTask(
        "reader-en",
        ".json",
        _read_multispan,
        multispan.write,
        _asked_multispan,
        _gold_multispan,
        _found_multispan,
        _prediction_multispan,
        _submit_multispan,
        _score_multispan,
        _shown_multispan,
    ),
}

"""Taggers' predictions on the benchmarks whose answer is all spans of a text, in the benchmark's own layout."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import tee
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from caveat.benchmarks.task import Predicted, Through
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.models.card import Card
from caveat.models.embedded import find
from caveat.models.tagger import TaggedSpan, Tagger, TagResult
from caveat.models.windowed import ReadRequest

__all__ = ["FoundSpans", "Key", "SpanFinder", "SpanTask", "load_tagger", "predict_spans", "span_predictions"]

Key = tuple[str, int, int]
"""A span as a benchmark compares it: kind, start, end."""

FoundSpans = tuple[Any, list[Key]]
"""A record of a benchmark and the spans of its text."""


class SpanFinder(Protocol):
    """A model that finds spans of some kinds."""

    @property
    def folder(self) -> Path: ...

    @property
    def card(self) -> Card: ...

    @property
    def kinds(self) -> tuple[str, ...]: ...

    def tag(self, requests: Iterable[ReadRequest]) -> Iterator[TagResult]:
        """A result a request, in order."""
        ...


class FinderLoader(Protocol):
    """Loads the model of a name or folder."""

    def __call__(
        self,
        model: PathLike,
        *,
        window: int | None = None,
        stride: int | None = None,
        threads: int | None = None,
    ) -> SpanFinder: ...


def load_tagger(
    model: PathLike, *, window: int | None = None, stride: int | None = None, threads: int | None = None
) -> SpanFinder:
    """The tagger of a name or folder."""
    return Tagger.load(find(model), window=window, stride=stride, threads=threads)


@dataclass(frozen=True)
class SpanTask:
    """How a benchmark's records are read and asked, and what becomes of the spans found in their texts."""

    name: str
    # The embedded model that fits it, and what loads one.
    model: str
    load: FinderLoader
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


def predict_spans(
    task: SpanTask,
    found: Iterable[FoundSpans],
    out: PathLike,
    *,
    model: str,
    complete: Callable[[Any], Any] = lambda prediction: prediction,
    through: Through = iter,
) -> Predicted:
    """Write what was found for every record of a data file, in the task's submission format, in the data's order.

    `complete` adds to a prediction what does not come from its spans alone.
    """
    begin = perf_counter()
    questions = unanswered = 0

    def predictions() -> Iterator[tuple[Any, Any]]:
        nonlocal questions, unanswered
        for record, keys in through(found):
            questions += 1
            unanswered += not keys
            yield record, complete(task.prediction(record, keys))

    task.submit(out, predictions())
    return Predicted(task.name, model, questions, unanswered, perf_counter() - begin)


def span_predictions(
    task: SpanTask, records: Iterable[Any], taggers: Sequence[SpanFinder]
) -> Iterator[FoundSpans]:
    """Every record with the spans found in its text by all of the taggers, in order, as a stream."""
    kinds = [kind for tagger in taggers for kind in tagger.kinds]
    if twice := sorted({kind for kind in kinds if kinds.count(kind) > 1}):
        raise UsageError(
            f"Two of the models find spans of the kind {twice[0]!r}; each kind is for one of them."
        )
    # Each tagger reads ahead as far as its queue is long; what the others have not had is kept that long.
    mine, *theirs = tee(records, len(taggers) + 1)
    results = [tagger.tag(map(task.asked, copy)) for tagger, copy in zip(taggers, theirs, strict=True)]
    for record, *found in zip(mine, *results, strict=True):
        spans = [span for result in found for span in result.spans]
        spans.sort(key=lambda span: (span.start, -span.end))
        yield record, task.found(record, spans)

"""Structured answers: the time for one text with all its spans and their relations, and how it grows with the spans."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean, median
from time import perf_counter

import msgspec

from caveat.answerers.documents.answerer import DocumentAnswerer
from caveat.answerers.documents.structure.relations import Relater
from caveat.answerers.documents.structure.spans import KINDS
from caveat.bench.measure import Cell, Measured, Watch, in_time
from caveat.bench.questions import evenly
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa.format import CmqaSample
from caveat.benchmarks.cmqa.predict import SPANS, related_sample, relations_of
from caveat.benchmarks.shared.span_prediction import span_predictions
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.core.languages import Language
from caveat.language.packs.zh import CHINESE
from caveat.models.session import available_cores

# What is called a text of 200 characters, and a text of many spans.
_ABOUT_200, _MANY = (150, 250), 25


def bench_structure(
    *,
    data: Mapping[Language, PathLike] = {},
    models: Mapping[Language, PathLike] = {},
    questions: int = 50,
    repeats: int = 3,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Measure the embedded tagger, or another, with its relations, on at most so many samples of each kind."""
    if (path := data.get(CHINESE)) is None:
        raise UsageError("Structured answers are measured on a file in CMQA's layout: name one with --zh.")
    every = [sample for _, sample in cmqa.read(path)]
    kinds = {
        "about 200 characters": [one for one in every if _ABOUT_200[0] <= len(one.context) <= _ABOUT_200[1]],
        f"{_MANY} gold spans or more": [one for one in every if _gold_spans(one) >= _MANY],
    }
    chosen = {label: evenly(found, questions) for label, found in kinds.items() if found}
    if not chosen:
        raise UsageError(f"{path} has no text of 150 to 250 characters and none with {_MANY} spans.")
    answerer = SPANS.load([models.get(CHINESE, SPANS.model)])
    relater = relations_of(answerer.taggers)
    seconds: dict[str, list[list[float]]] = {label: [[] for _ in ours] for label, ours in chosen.items()}
    spans: dict[str, list[int]] = {label: [0] * len(ours) for label, ours in chosen.items()}
    # The first loads the model.
    _answered(answerer, relater, next(iter(chosen.values()))[0], 0)
    turns = [
        (repeat, label, number, sample)
        for repeat in range(1, repeats + 1)
        for label, ours in chosen.items()
        for number, sample in enumerate(ours)
    ]
    for repeat, label, number, sample in watch(turns, len(turns)):
        time, found = _answered(answerer, relater, sample, repeat)
        seconds[label][number].append(time)
        spans[label][number] = found
    rows: list[tuple[Cell, ...]] = []
    first: float | None = None
    for label, ours in chosen.items():
        times = [median(each) for each in seconds[label]]
        first = first or median(times)
        rows.append(
            (
                label,
                len(ours),
                round(mean(len(one.context) for one in ours)),
                float(mean(spans[label])),
                in_time(median(times)),
                in_time(max(times)),
                f"{median(times) / first:.1f}×",
            )
        )
    columns = ("samples", "characters", "spans found", "a sample", "slowest", "ratio")
    name = answerer.taggers[0].card.name
    note = (
        f"Spans and relations of one text at a time, {name}, threads: {available_cores()}; each is "
        f"measured {repeats} times, with another blank at its end, and its median taken; “a sample” is the median "
        "of these."
    )
    return Measured("Structured answers", ("", *columns), tuple(rows), (note,))


def _answered(
    answerer: DocumentAnswerer, relater: Relater | None, sample: CmqaSample, blanks: int
) -> tuple[float, int]:
    """The time that a sample takes, and the spans that were found."""
    # A text that was read before is not tokenised again.
    asked = msgspec.structs.replace(sample, context=sample.context + " " * blanks)
    begin = perf_counter()
    [(record, keys)] = span_predictions(SPANS, [asked], answerer)
    prediction = SPANS.prediction(record, keys)
    if relater is not None:
        related_sample(relater, prediction)
    return perf_counter() - begin, len(keys)


def _gold_spans(sample: CmqaSample) -> int:
    return sum(len(getattr(sample, kind)) for kind in KINDS)

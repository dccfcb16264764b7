"""CMQA: conditions, coarse and fine answers and how they hang together, in Chinese medical texts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, product
from typing import Any

from caveat.benchmarks.cmqa import format
from caveat.benchmarks.cmqa import metric as label_sets
from caveat.benchmarks.cmqa.format import CmqaSample, read
from caveat.benchmarks.shared.checks import Finding
from caveat.benchmarks.shared.count_tables import (
    SUMMARY,
    Cell,
    Histogram,
    Table,
    Tables,
    histogram,
    mean,
    share,
    shares,
    summary,
)
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import Analysed, Analysis, DataFiles, EvaluationOptions, Task, Through
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.loading import load
from caveat.language.question_types import QUESTION_TYPES, question_type

Samples = dict[str, label_sets.Sample]
_PIECES = re.compile(r"\w+")


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return label_sets.score(*_samples(gold, pred, options))


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return label_sets.score_official(*_samples(gold, pred, options))


def _samples(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> tuple[Samples, Samples]:
    references, predicted = _read(gold, pred, options.first)
    return (
        {str(number): format.labels(sample) for number, sample in references.items()},
        {str(number): format.labels(sample) for number, sample in predicted.items()},
    )


def _read(
    gold: PathLike, pred: PathLike, first: int | None = None
) -> tuple[dict[int, format.CmqaSample], dict[int, format.CmqaSample]]:
    """Samples have no ids: predictions are in the data's order, and line N answers line N."""
    references = {
        number: sample for number, (_, sample) in enumerate(islice(format.read(gold), first), start=1)
    }
    if not references:
        raise InputError("has no samples, so there is nothing to score", path=gold)
    predicted: dict[int, format.CmqaSample] = {}
    for number, (line, sample) in enumerate(islice(format.read(pred), first), start=1):
        if number in references and sample.context != references[number].context:
            raise InputError(
                f"the context is not that of sample {number} of the data; predictions come in the data's order",
                path=pred,
                line=line,
            )
        predicted[number] = sample
    return references, predicted


def _analysis() -> Analysis[Any]:
    from caveat.benchmarks.cmqa.analysis import AnalysisOptions, analyse

    def run(gold: PathLike, options: AnalysisOptions, through: Through) -> Analysed:
        if options.pred is None:
            raise UsageError("cmqa analyses predictions: --pred names their file.")
        references, predicted = _read(gold, options.pred)
        return analyse(list(references.values()), predicted, worst=options.worst)

    return Analysis(AnalysisOptions, run)


def _agreement(files: Sequence[PathLike]) -> dict[str, object]:
    annotators = []
    for path in files:
        found: Samples = {}
        for _, sample in format.read(path):
            # Annotators may have their samples in different orders: text and question tell which is which.
            found[f"{sample.context}\t{sample.question}"] = format.labels(sample)
        annotators.append(found)
    agreed = label_sets.pairwise_f1(annotators)
    return {
        **{name: {"f1": f1} for name, f1 in agreed.f1.items()},
        "annotators": agreed.annotators,
        "pairs": agreed.pairs,
        "samples": agreed.samples,
        "left_out": agreed.left_out,
    }


def _floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
    """No label at all, and every piece of the context between two marks as a fine answer."""
    samples = {
        str(number): sample for number, (_, sample) in enumerate(islice(format.read(gold), options.first), 1)
    }
    if not samples:
        raise InputError("has no samples, so there is nothing to score", path=gold)
    references: Samples = {number: format.labels(sample) for number, sample in samples.items()}
    each: Samples = {
        number: {"fine": frozenset(piece.span() for piece in _PIECES.finditer(sample.context))}
        for number, sample in samples.items()
    }
    return {
        "no_label": label_sets.score(references, {number: {} for number in samples}),
        "every_piece_fine": label_sets.score(references, each),
    }


def _statistics(files: DataFiles) -> Tables:
    return count(files.data)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.cmqa.checks import check

    return check(files.data)


TASK = Task(
    name="cmqa",
    summary="CMQA: conditional answers at two levels of detail from medical texts (Chinese)",
    gold="CMQA's JSON lines",
    predictions="the data's own layout, one JSON a line, in the data's order",
    read=lambda files: (sample for _, sample in format.read(files.data)),
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    predict=partial(load, "caveat.benchmarks.cmqa.predict:PREDICTION"),
    agreement=_agreement,
    floors=_floors,
    analyse=_analysis,
)


_SPANS = ("condition", "coarse", "fine")
_RELATIONS = ("condition_coarse", "condition_fine", "coarse_fine")


def count(data: PathLike) -> Tables:
    """Samples, spans and relations; lengths are in characters, without the blanks around a text."""
    samples = [sample for _, sample in read(data)]
    spans = {type: [len(getattr(sample, type)) for sample in samples] for type in _SPANS}
    relations = {type: [len(getattr(sample, type)) for sample in samples] for type in _RELATIONS}
    all_spans = [sum(numbers) for numbers in zip(*spans.values(), strict=True)]
    lengths = {type: _span_lengths(samples, type) for type in _SPANS}
    contexts = [len(sample.context.strip()) for sample in samples]
    questions = [len(sample.question.strip()) for sample in samples]
    division = _division(samples)
    by_question = _by_question_type(samples)
    number_of_relations = sum(map(sum, relations.values()))
    return Tables(
        "cmqa",
        {
            "samples": len(samples),
            # As the paper has them: 50.4% of its samples are conditional, 56.6% hierarchical.
            "conditional": sum(bool(sample.condition) for sample in samples),
            "hierarchical": sum(bool(sample.coarse and sample.fine) for sample in samples),
            "several_answers": sum(len(sample.coarse) + len(sample.fine) > 1 for sample in samples),
            "spans": sum(all_spans),
            "relations": number_of_relations,
            "labels": sum(all_spans) + number_of_relations,
            **{type: sum(numbers) for type, numbers in {**spans, **relations}.items()},
        },
        (
            Table(
                "Lengths in characters",
                SUMMARY,
                (
                    summary("contexts", contexts),
                    summary("questions", questions),
                    *(summary(f"{type} spans", lengths[type]) for type in _SPANS),
                ),
            ),
            Table(
                "Spans",
                ("", "number", "samples with any", "mean per sample", "max per sample"),
                (*(_each(type, spans[type]) for type in _SPANS), _each("all", all_spans)),
            ),
            Table(
                "Relations",
                ("", "number", "samples with any", "mean per sample", "max per sample"),
                tuple(_each(type.replace("_", "-"), relations[type]) for type in _RELATIONS),
            ),
            Table(
                "Samples by the types of their spans",
                ("", "samples", "%"),
                shares(division.items(), len(samples)),
            ),
            Table(
                "Question types, with spans per sample",
                ("", "samples", "%", *_SPANS),
                _question_rows(by_question, len(samples)),
            ),
        ),
        (
            histogram("Samples by number of spans", "spans", all_spans),
            histogram("Contexts by length", "characters", contexts),
            Histogram("Samples by the types of their spans", "", _without_zeros(division)),
            Histogram(
                "Samples by question type",
                "",
                _without_zeros({type: len(by_question[type]) for type in QUESTION_TYPES}),
            ),
        ),
    )


def _span_lengths(samples: Sequence[CmqaSample], type: str) -> list[int]:
    return [span.end - span.start for sample in samples for span in getattr(sample, type)]


def _each(name: str, numbers: Sequence[int]) -> tuple[Cell, ...]:
    with_any = sum(number > 0 for number in numbers)
    return name, sum(numbers), with_any, mean(numbers), max(numbers, default=None)


def _division(samples: Sequence[CmqaSample]) -> dict[str, int]:
    """The samples with exactly these span types, for every combination of the three."""
    found = Counter(tuple(bool(getattr(sample, type)) for type in _SPANS) for sample in samples)
    return {_combination(present): found[present] for present in product((True, False), repeat=len(_SPANS))}


def _combination(present: Sequence[bool]) -> str:
    return " + ".join(type for type, here in zip(_SPANS, present, strict=True) if here) or "none"


def _by_question_type(samples: Sequence[CmqaSample]) -> dict[str, list[CmqaSample]]:
    found: dict[str, list[CmqaSample]] = defaultdict(list)
    for sample in samples:
        found[question_type(sample.question)].append(sample)
    return found


def _question_rows(by_question: dict[str, list[CmqaSample]], whole: int) -> tuple[tuple[Cell, ...], ...]:
    rows = []
    for type in QUESTION_TYPES:
        members = by_question[type]
        means = [mean([len(getattr(sample, span)) for sample in members]) for span in _SPANS]
        rows.append((type, len(members), share(len(members), whole), *means))
    return tuple(rows)


def _without_zeros(counts: dict[str, int]) -> dict[str, int]:
    return {name: number for name, number in counts.items() if number}

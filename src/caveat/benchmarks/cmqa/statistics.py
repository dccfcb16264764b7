"""What is in a CMQA file: the paper's tables of spans, of samples by span types, and of question types."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product

from caveat.benchmarks.cmqa.format import CmqaSample, read
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
from caveat.core.files import PathLike
from caveat.language.question_types import QUESTION_TYPES, question_type

__all__ = ["count"]

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

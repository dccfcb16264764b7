"""Relations of samples measured by CMQA's metric, those of the rules among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from caveat.answerers.documents.structure.relations import (
    nearest_coarse,
    nearest_condition,
    nearest_condition_of_the_uppermost,
)
from caveat.answerers.documents.structure.spans import Pair
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa import metric as label_sets
from caveat.benchmarks.cmqa.format import CmqaSample
from caveat.benchmarks.cmqa.spans import spans_of, with_relations

__all__ = ["SCORES", "Figures", "figures_of", "measure", "rules"]

# The file's name in a run's folder.
SCORES = "scores.json"

Figures = dict[str, dict[str, float | None]]
"""A row a system or a sort of relations, a column a figure."""

_MEASURED = ("condition-answer", "coarse-fine")


def figures_of(gold: Sequence[CmqaSample], predicted: Sequence[CmqaSample]) -> Figures:
    """F1 and exact match by sort of relations."""
    scores = label_sets.score(_labels(gold), _labels(predicted)).scores
    return {sort: {name: scores[sort][name] for name in ("f1", "exact_match")} for sort in _MEASURED}


def measure(gold: Sequence[CmqaSample], predicted: Sequence[CmqaSample]) -> dict[str, float | None]:
    """F1 and exact match of both sorts of relations, in one row."""
    names = {"f1": "F1", "exact_match": "EM"}
    return {
        f"{sort} {names[key]}": figure
        for sort, figures in figures_of(gold, predicted).items()
        for key, figure in figures.items()
    }


def rules(samples: Sequence[CmqaSample]) -> Figures:
    """The rows that any model has to beat."""
    by_name: dict[str, Callable[[CmqaSample], list[Pair]]] = {
        "nearest": lambda sample: nearest_condition(spans_of(sample)),
        "nearest, coarse first": lambda sample: nearest_condition_of_the_uppermost(
            sample.context, spans_of(sample)
        ),
    }
    return {
        name: measure(
            samples,
            [
                with_relations(sample, [*rule(sample), *nearest_coarse(spans_of(sample))])
                for sample in samples
            ],
        )
        for name, rule in by_name.items()
    }


def _labels(samples: Sequence[CmqaSample]) -> dict[str, label_sets.Sample]:
    return {str(number): cmqa.labels(sample) for number, sample in enumerate(samples)}

"""The rules on short texts, and their published figures on the real data."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.answerers.documents.structure.relations import (
    nearest_coarse,
    nearest_condition,
    nearest_condition_of_the_uppermost,
)
from caveat.answerers.documents.structure.spans import Span
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa.predict import spans_of, with_relations
from caveat.training.kinds.relations.fit import measure

#        0         1         2
#        0123456789012345678901234
TEXT = "缺水就浇水，如喷雾。缺肥用肥料。或豆饼。"
DRY, WATER, SPRAY = Span("condition", 0, 2), Span("coarse", 3, 5), Span("fine", 7, 9)
POOR, FERTILISER, CAKE = Span("condition", 10, 12), Span("coarse", 13, 15), Span("fine", 17, 19)
SPANS = [DRY, WATER, SPRAY, POOR, FERTILISER, CAKE]


def test_each_answer_has_the_nearest_condition_before_it() -> None:
    assert nearest_condition(SPANS) == [(DRY, WATER), (DRY, SPRAY), (POOR, FERTILISER), (POOR, CAKE)]


def test_a_fine_answer_leaves_the_condition_to_a_coarse_one_in_its_sentence() -> None:
    # The cake is in a sentence of its own.
    expected = [(DRY, WATER), (POOR, FERTILISER), (POOR, CAKE)]
    assert nearest_condition_of_the_uppermost(TEXT, SPANS) == expected


def test_each_fine_answer_has_the_nearest_coarse_one_before_it() -> None:
    assert nearest_coarse(reversed(SPANS)) == [(WATER, SPRAY), (FERTILISER, CAKE)]


def test_an_answer_before_every_condition_has_none() -> None:
    assert nearest_condition([WATER, POOR]) == []
    assert nearest_coarse([SPRAY, FERTILISER]) == []
    assert nearest_condition([]) == nearest_condition_of_the_uppermost("", []) == []


def test_a_condition_around_an_answer_begins_before_it() -> None:
    around, inside = Span("condition", 0, 9), Span("fine", 0, 2)
    assert nearest_condition([inside, around]) == [(around, inside)]


@pytest.mark.shared
def test_the_figures_on_the_published_data(shared: Path) -> None:
    samples = [sample for _, sample in cmqa.read(shared / "data" / "cmqa" / "dev.jsonl.gz")]
    nearest = [
        with_relations(sample, [*nearest_condition(spans_of(sample)), *nearest_coarse(spans_of(sample))])
        for sample in samples
    ]
    assert [round(figure or 0, 1) for figure in measure(samples, nearest).values()] == [
        84.7,
        65.7,
        77.3,
        41.8,
    ]
    uppermost = [
        with_relations(sample, nearest_condition_of_the_uppermost(sample.context, spans_of(sample)))
        for sample in samples
    ]
    assert [round(figure or 0, 1) for figure in measure(samples, uppermost).values()][:2] == [90.7, 74.2]

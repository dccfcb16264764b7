"""The relation model: decisions by weights, its file, its limits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.structure.features import COLUMNS, CONDITION, describe, find_candidates
from caveat.answerers.documents.structure.relations import (
    FeatureWeights,
    RelationModel,
    embedded_model,
    read_model,
    write_model,
)
from caveat.answerers.documents.structure.spans import Span, lay_out
from caveat.core.errors import InputError

#           0         1         2         3
#           0123456789012345678901234567890
CONTEXT = "平时放在散光处。如果缺肥，可以施有机肥，比如豆饼水、羊粪等。"
LIGHT, POOR, ORGANIC = Span("fine", 4, 7), Span("condition", 8, 12), Span("coarse", 16, 19)
CAKE, DUNG = Span("fine", 22, 25), Span("fine", 26, 28)
SPANS = [LIGHT, POOR, ORGANIC, CAKE, DUNG]


def sizes() -> dict[str, FeatureWeights]:
    layout = lay_out(CONTEXT, SPANS)
    return {f.name: FeatureWeights(f.size) for f in describe(layout, find_candidates(layout))}


def with_weights(name: str, weights: dict[int, float]) -> RelationModel:
    """A model that knows one feature."""
    return RelationModel({**sizes(), name: FeatureWeights(sizes()[name].size, weights)})


def column(kind: int, place: int, *, fine: bool) -> int:
    return COLUMNS.index((kind, place)) + len(COLUMNS) * fine


def test_the_embedded_model_finds_the_tree() -> None:
    related = embedded_model().relate(CONTEXT, SPANS, "君子兰怎么养？")
    assert [one.pair for one in related] == [(POOR, ORGANIC), (ORGANIC, CAKE), (ORGANIC, DUNG)]
    assert all(0.5 < one.probability <= 1 for one in related)


def test_a_model_without_weights_relates_nothing() -> None:
    # All heads are as probable as none, and none comes first.
    assert RelationModel(sizes()).relate(CONTEXT, SPANS) == []


def test_weights_decide_and_probabilities_follow() -> None:
    # "length of list" has five classes; of coarse answers, in lists of one, the nearest condition before.
    code = column(CONDITION, -1, fine=False) * 5 + 1
    (related,) = with_weights("length of list", {code: 2.0}).relate(CONTEXT, SPANS)
    assert related.pair == (POOR, ORGANIC)
    # None and the condition are all that a coarse answer can choose from here.
    assert related.probability == pytest.approx(np.exp(2.0) / (np.exp(2.0) + 1))


def test_the_items_of_a_list_choose_together() -> None:
    # The first item is drawn to the condition by 3, the second away from it by 1: together by 1 each.
    at = column(CONDITION, -1, fine=True) * 4
    related = with_weights("place in list", {at: 3.0, at + 1: -1.0}).relate(CONTEXT, [POOR, CAKE, DUNG])
    assert [one.pair for one in related] == [(POOR, CAKE), (POOR, DUNG)]
    assert related[0].probability == related[1].probability == pytest.approx(np.e / (np.e + 1))


def test_a_word_counts_where_it_is_known() -> None:
    name = "before 2 list"
    feature = FeatureWeights(
        sizes()[name].size, worded={"比如": {column(1, -1, fine=True) * 2: 5.0}, "另外": {0: 9.0}}
    )
    related = RelationModel({**sizes(), name: feature}).relate(CONTEXT, SPANS)
    assert [one.pair for one in related] == [(ORGANIC, CAKE), (ORGANIC, DUNG)]


def test_nothing_to_relate() -> None:
    model = embedded_model()
    assert model.relate("", []) == []
    assert model.relate(CONTEXT, []) == []
    assert model.relate(CONTEXT, [POOR]) == []
    assert model.relate(CONTEXT, [LIGHT]) == []


def test_five_hundred_spans_that_overlap() -> None:
    context = "如果缺肥，用有机肥、豆饼水。" * 100
    kinds = ("condition", "coarse", "fine", "fine", "fine")
    spans = [Span(kinds[n % 5], 2 * n, 2 * n + 1 + n % 7) for n in range(500)]  # type: ignore[arg-type]
    related = embedded_model().relate(context, spans + spans[:10], "?")
    assert len({one.tail for one in related}) == len(related)
    assert {one.head.kind for one in related} <= {"condition", "coarse"}


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "relations.json"
    model = embedded_model()
    write_model(path, model, {"samples": 3})
    again = read_model(path)
    assert again.features == model.features
    assert again.relate(CONTEXT, SPANS) == model.relate(CONTEXT, SPANS)
    assert json.loads(path.read_text("utf-8"))["about"] == {"samples": 3}


def test_a_file_with_impossible_codes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "relations.json"
    path.write_text('{"about": {}, "features": {"distance": {"size": 4, "plain": {"4": 1.0}}}}')
    with pytest.raises(InputError, match="a code of 'distance' is not below its size, 4"):
        read_model(path)


def test_a_model_of_other_features_is_refused() -> None:
    other = {**sizes(), "distance": FeatureWeights(3)}
    with pytest.raises(InputError, match="the relation model was fitted with other features: 'distance'"):
        RelationModel(other).relate(CONTEXT, SPANS)


@given(
    st.lists(
        st.tuples(st.sampled_from(("condition", "coarse", "fine")), st.integers(0, 26), st.integers(1, 4))
    )
)
def test_an_answer_has_one_head_at_most_and_that_of_a_kind_above_it(raw: list[tuple[str, int, int]]) -> None:
    spans = [Span(kind, start, start + length) for kind, start, length in raw]  # type: ignore[arg-type]
    related = embedded_model().relate(CONTEXT, spans)
    assert len({one.tail for one in related}) == len(related)
    for one in related:
        assert {one.head, one.tail} <= set(spans)
        assert (one.head.kind, one.tail.kind) in {
            ("condition", "coarse"), ("condition", "fine"), ("coarse", "fine"),
        }  # fmt: skip

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.cmqa.metric import LABEL_TYPES, Sample, labels_of, score, score_official
from caveat.core.errors import CaveatError

# Each span is a (start, end) pair, each relation a pair of spans.
GOLD: dict[str, Sample] = {
    "1": {
        "condition": {(0, 4)},
        "coarse": {(5, 8)},
        "fine": {(10, 12), (14, 17)},
        "condition_coarse": {((0, 4), (5, 8))},
        "condition_fine": {((0, 4), (10, 12))},
        "coarse_fine": {((5, 8), (10, 12)), ((5, 8), (14, 17))},
    },
    "2": {"coarse": {(3, 6)}, "fine": {(7, 9)}, "coarse_fine": {((3, 6), (7, 9))}},
    "3": {"condition": set(), "coarse": set(), "fine": {(1, 2)}},
}


def test_perfect_predictions() -> None:
    scores = score_official(GOLD, GOLD).scores
    assert {name: scores[name]["samples"] for name in LABEL_TYPES} == {
        "condition": 1,
        "coarse": 2,
        "fine": 3,
        "condition-answer": 1,
        "coarse-fine": 2,
        "all": 3,
    }
    assert all(scores[name]["exact_match"] == scores[name]["f1"] == 100.0 for name in LABEL_TYPES)
    assert scores["presence_accuracy"] == {"condition": 100.0, "coarse": 100.0, "fine": 100.0}
    assert scores["missing"] == 0


def test_a_flawed_prediction_by_hand() -> None:
    predicted: dict[str, Sample] = {
        "1": {**GOLD["1"], "fine": {(10, 12)}, "condition_fine": set()},
        "2": {**GOLD["2"], "condition": {(0, 2)}, "fine": {(7, 10)}},
        "3": GOLD["3"],
    }
    scored = score(GOLD, predicted)
    assert scored == score_official(GOLD, predicted)
    scores = scored.scores
    # The spurious condition of sample 2 costs precision, not exact match: its reference has none.
    assert scores["condition"] == {"exact_match": 100.0, "f1": pytest.approx(200 / 3), "samples": 1}
    # Two of four references and two of three predictions match; only sample 3 is wholly right.
    assert scores["fine"] == {
        "exact_match": pytest.approx(100 / 3),
        "f1": pytest.approx(400 / 7),
        "samples": 3,
    }
    assert scores["condition-answer"] == {"exact_match": 0.0, "f1": pytest.approx(200 / 3), "samples": 1}
    # Five of seven references, five of seven predictions.
    assert scores["all"] == {
        "exact_match": pytest.approx(100 / 3),
        "f1": pytest.approx(500 / 7),
        "samples": 3,
    }
    assert scores["presence_accuracy"] == {
        "condition": pytest.approx(200 / 3),
        "coarse": 100.0,
        "fine": 100.0,
    }


def test_the_sums_come_before_the_harmonic_mean() -> None:
    gold: dict[str, Sample] = {"1": {"fine": {1, 2, 3}}, "2": {"fine": {4}}}
    predicted: dict[str, Sample] = {"1": {"fine": {1, 2, 3}}, "2": {"fine": {5}}}
    # Micro: 3 of 4 and 3 of 4; the mean of the samples' own F1 would be 50.
    assert score(gold, predicted).scores["fine"]["f1"] == 75.0


def test_the_same_span_under_two_types_is_two_labels() -> None:
    gold: dict[str, Sample] = {"1": {"coarse": {(0, 3)}}}
    predicted: dict[str, Sample] = {"1": {"fine": {(0, 3)}}}
    assert score(gold, predicted).scores["all"] == {"exact_match": 0.0, "f1": 0.0, "samples": 1}


def test_condition_answer_is_a_union() -> None:
    both = {"condition_coarse": {((0, 1), (2, 3))}, "condition_fine": {((0, 1), (2, 3)), ((0, 1), (4, 5))}}
    assert labels_of(both, "condition-answer") == {((0, 1), (2, 3)), ((0, 1), (4, 5))}
    # So a pair under the other relation is as good.
    gold: dict[str, Sample] = {"1": {"condition_coarse": {((0, 1), (2, 3))}}}
    predicted: dict[str, Sample] = {"1": {"condition_fine": {((0, 1), (2, 3))}}}
    assert score(gold, predicted).scores["condition-answer"]["f1"] == 100.0


def test_a_missing_sample_is_wrong_in_every_respect() -> None:
    gold: dict[str, Sample] = {**GOLD, "4": {}}
    scored = score(gold, {"1": GOLD["1"], "2": GOLD["2"], "9": {}})
    assert (scored.missing, scored.unknown) == (("3", "4"), ("9",))
    assert scored.scores["missing"] == 2
    # Nothing predicted is no match for sample 4's empty reference, nor a right judgement of what is absent.
    assert scored.scores["all"]["exact_match"] == 50.0
    assert scored.scores["presence_accuracy"]["condition"] == 50.0
    assert scored.scores["fine"] == {
        "exact_match": pytest.approx(200 / 3),
        "f1": pytest.approx(600 / 7),
        "samples": 3,
    }
    with pytest.raises(CaveatError, match="2 of 4 samples have no prediction; the first is '3'"):
        score_official(gold, {"1": GOLD["1"], "2": GOLD["2"]})


def test_an_empty_prediction_is_right_where_the_reference_is_empty() -> None:
    scores = score({"1": {}}, {"1": {}}).scores
    assert scores["all"] == {"exact_match": 100.0, "f1": None, "samples": 1}
    assert scores["fine"] == {"exact_match": None, "f1": None, "samples": 0}
    assert scores["presence_accuracy"]["fine"] == 100.0


def test_details_are_the_figures_of_each_sample() -> None:
    details = score(GOLD, {"1": GOLD["1"], "2": {"coarse": {(3, 6)}}}).details
    assert [detail["id"] for detail in details] == ["1", "2", "3"]
    assert [detail["all"]["exact_match"] for detail in details] == [100.0, 0.0, 0.0]
    assert details[1]["all"]["f1"] == pytest.approx(200 / 3)
    assert details[1]["condition"]["exact_match"] is None


NAMES = ["condition", "coarse", "fine", "condition_coarse", "condition_fine", "coarse_fine"]
samples = st.dictionaries(st.sampled_from(NAMES), st.sets(st.integers(0, 4)))


@given(st.lists(st.tuples(samples, samples | st.none()), min_size=1, max_size=6))
def test_bounds(pairs: list[tuple[Sample, Sample | None]]) -> None:
    gold = {str(n): reference for n, (reference, _) in enumerate(pairs)}
    predicted = {str(n): given for n, (_, given) in enumerate(pairs) if given is not None}
    scores = score(gold, predicted).scores
    for name in LABEL_TYPES:
        assert scores[name]["samples"] <= len(pairs)
        for figure in (scores[name]["exact_match"], scores[name]["f1"]):
            assert figure is None or 0 <= figure <= 100
        if predicted == gold:
            assert scores[name]["f1"] in (None, 100.0)
    assert all(0 <= value <= 100 for value in scores["presence_accuracy"].values())

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.cmqa.metric import Sample, pairwise_f1
from caveat.benchmarks.shared.agreement import human_performance, pairwise_scores
from caveat.core.errors import CaveatError


def equal(prediction: str, golds: list[str]) -> tuple[float, float]:
    """Exact match, and as F1 the best share of common letters."""
    shares = [
        2 * len(set(prediction) & set(gold)) / (len(set(prediction)) + len(set(gold))) for gold in golds
    ]
    return float(prediction in golds), max(shares)


def test_pairs_of_annotators_are_averaged() -> None:
    first: dict[str, Sample] = {"1": {"fine": {1, 2}}, "2": {"coarse": {7}}}
    second: dict[str, Sample] = {"1": {"fine": {1, 2}}, "2": {"coarse": {8}}}
    third: dict[str, Sample] = {"1": {"fine": {1}}, "2": {"coarse": {7}}}
    agreement = pairwise_f1([first, second, third])
    # Pairs 1–2, 1–3, 2–3: fine 1, 2/3, 2/3; coarse 0, 1, 0; all 2/3, 4/5, 2/5.
    assert agreement.f1["fine"] == pytest.approx(100 * (1 + 2 / 3 + 2 / 3) / 3)
    assert agreement.f1["coarse"] == pytest.approx(100 / 3)
    assert agreement.f1["all"] == pytest.approx(100 * (2 / 3 + 4 / 5 + 2 / 5) / 3)
    assert agreement.f1["condition"] is None
    assert (agreement.annotators, agreement.pairs, agreement.samples, agreement.left_out) == (3, 3, 2, 0)


def test_all_labels_are_the_relations_too() -> None:
    spans = {"condition": {(0, 2)}, "coarse": {(3, 5)}, "fine": {(6, 8)}}
    first: Sample = {**spans, "condition_coarse": {((0, 2), (3, 5))}, "coarse_fine": {((3, 5), (6, 8))}}
    second: Sample = {**spans, "condition_fine": {((0, 2), (6, 8))}}
    agreement = pairwise_f1([{"1": first}, {"1": second}])
    assert agreement.f1["spans"] == 100.0
    assert agreement.f1["condition-answer"] == agreement.f1["coarse-fine"] == 0.0
    # Three labels in common, of five and of four.
    assert agreement.f1["all"] == pytest.approx(100 * 2 * 3 / (5 + 4))


def test_a_pair_under_two_relations_is_two_labels_unless_both_are_of_conditions() -> None:
    pair = ((0, 2), (3, 5))
    first: Sample = {"condition_coarse": {pair}, "condition_fine": {pair}, "coarse_fine": {pair}}
    second: Sample = {"condition_fine": {pair}}
    # condition-answer is a union, so that the first has two labels and the second one of them.
    assert pairwise_f1([{"1": first}, {"1": second}]).f1["all"] == pytest.approx(100 * 2 / 3)


def test_only_samples_that_all_annotators_have_count() -> None:
    first: dict[str, Sample] = {"1": {"fine": {1}}, "2": {"fine": {2}}}
    second: dict[str, Sample] = {"2": {"fine": {2}}, "3": {"fine": {3}}}
    agreement = pairwise_f1([first, second])
    assert agreement.f1["fine"] == 100.0
    assert (agreement.samples, agreement.left_out) == (1, 2)


def test_agreement_needs_two_annotators_and_a_common_sample() -> None:
    with pytest.raises(CaveatError, match="two annotators"):
        pairwise_f1([{"1": {}}])
    with pytest.raises(CaveatError, match="no question in common"):
        pairwise_f1([{"1": {}}, {"2": {}}])


labels = st.fixed_dictionaries({"1": st.fixed_dictionaries({"fine": st.sets(st.integers(0, 3))})})


@given(st.lists(labels, min_size=2, max_size=4))
def test_the_order_of_annotators_does_not_matter(annotators: list[dict[str, Sample]]) -> None:
    forwards, backwards = pairwise_f1(annotators), pairwise_f1(annotators[::-1])
    assert backwards.f1 == pytest.approx(forwards.f1)
    assert forwards.f1["fine"] is None or 0 <= forwards.f1["fine"] <= 100


def test_each_answer_is_scored_against_the_others() -> None:
    # "ab" matches the other "ab"; "cd" matches nobody; it shares no letter either.
    human = human_performance({"q": ["ab", "ab", "cd"]}, equal)
    assert human.exact_match == human.f1 == pytest.approx(200 / 3)
    assert (human.annotators, human.questions, human.left_out) == (3, 1, 0)


def test_exact_match_and_f1_are_separate() -> None:
    human = human_performance({"q": ["ab", "bc"]}, equal)
    assert (human.exact_match, human.f1) == (0.0, 50.0)


def test_an_answer_is_never_its_own_gold() -> None:
    seen: list[tuple[str, list[str]]] = []

    def record(prediction: str, golds: list[str]) -> tuple[float, float]:
        seen.append((prediction, golds))
        return 0.0, 0.0

    human_performance({"q": ["x", "y", "x"]}, record)
    assert seen == [("x", ["y", "x"]), ("y", ["x", "x"]), ("x", ["x", "y"])]


def test_questions_with_one_answer_are_left_out_and_counted() -> None:
    human = human_performance({"q1": ["a"], "q2": ["a", "a"], "q3": [], "q4": ["a", "b", "c"]}, equal)
    # Each question weighs the same: 100 and 0.
    assert human.exact_match == 50.0
    assert (human.annotators, human.questions, human.left_out) == (3, 2, 2)


def test_no_question_with_two_answers() -> None:
    human = human_performance({"q1": ["a"]}, equal)
    assert (human.exact_match, human.f1, human.annotators, human.left_out) == (None, None, 0, 1)


def test_pairwise_scores_of_any_metric() -> None:
    from caveat.benchmarks.multispan import metric as multispan

    annotators = [{"q": ["red", "blue"], "r": ["x"]}, {"q": ["red"]}]
    found = pairwise_scores(annotators, multispan.score)
    # Of the two the first has one answer more: F1 2/3 whichever is the gold; precision and recall 1/2 and 1.
    assert found.scores["exact"] == {
        "precision": pytest.approx(75),
        "recall": pytest.approx(75),
        "f1": pytest.approx(200 / 3),
    }
    assert "total" not in found.scores
    assert (found.annotators, found.questions, found.left_out) == (2, 1, 1)

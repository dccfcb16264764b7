from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.nlpcc.metric import (
    average_precision,
    hit_at,
    reciprocal_rank,
    score,
    score_official,
)
from caveat.core.errors import CaveatError


@pytest.mark.parametrize(
    ("ranked", "reciprocal", "precision"),
    [
        ([True, False, False], 1.0, 1.0),
        ([False, True, False], 1 / 2, 1 / 2),
        ([False, True, True], 1 / 2, (1 / 2 + 2 / 3) / 2),
        ([True, False, True, False], 1.0, (1 + 2 / 3) / 2),
        ([False, False], 0.0, 0.0),
        ([], 0.0, 0.0),
    ],
)
def test_single_rankings(ranked: list[bool], reciprocal: float, precision: float) -> None:
    assert reciprocal_rank(ranked) == pytest.approx(reciprocal)
    assert average_precision(ranked) == pytest.approx(precision)


def test_hit_at() -> None:
    assert [hit_at([False, False, True], cut) for cut in (1, 2, 3, 4)] == [0.0, 0.0, 1.0, 1.0]


def test_means_over_questions() -> None:
    groups = [("who?", [False, True, False]), ("where?", [True, True]), ("why?", [False, False])]
    # Ranks of the right ones: 2nd of three; 1st and 2nd of two; none.
    scored = score(groups, [0.9, 0.8, 0.1, 3.0, -2.0, 0.5, 0.4])
    assert scored.scores == {
        "mrr": pytest.approx(50.0),
        "map": pytest.approx(50.0),
        "accuracy@1": pytest.approx(100 / 3),
        "accuracy@2": pytest.approx(200 / 3),
        "accuracy@3": pytest.approx(200 / 3),
        "questions": 3,
        "tied_questions": 0,
        "missing": 0,
    }
    assert [detail["id"] for detail in scored.details] == ["who?", "where?", "why?"]
    assert [detail["mrr"] for detail in scored.details] == [50.0, 100.0, 0.0]


def test_a_question_without_a_right_candidate_stays_in_the_mean() -> None:
    assert score([("a", [True]), ("b", [False])], [1.0, 1.0]).scores["map"] == 50.0


def test_ties_go_against_the_system() -> None:
    groups = [("q", [True, False, False])]
    scored = score(groups, [0.5, 0.5, 0.1])
    assert scored.scores["mrr"] == 50.0
    assert scored.scores["tied_questions"] == 1


def test_official_ties_stay_in_file_order() -> None:
    assert score_official([("q", [True, False, False])], [0.5, 0.5, 0.1]).scores["mrr"] == 100.0
    assert score_official([("q", [False, True, False])], [0.5, 0.5, 0.1]).scores["mrr"] == 50.0


def test_ties_that_cannot_matter_are_not_counted() -> None:
    groups = [("q", [True, True, False, False])]
    assert score(groups, [2.0, 2.0, 1.0, 1.0]).scores["tied_questions"] == 0
    assert score_official(groups, [2.0, 0.0, -0.0, 1.0]).scores["tied_questions"] == 1


def test_one_score_a_candidate() -> None:
    with pytest.raises(CaveatError, match="2 candidates and 1 scores"):
        score([("q", [True, False])], [0.5])
    with pytest.raises(CaveatError, match="2 candidates and 3 scores"):
        score_official([("q", [True, False])], [0.5, 0.5, 0.5])


def test_no_questions() -> None:
    scores = score([], []).scores
    assert scores["mrr"] is None
    assert scores["questions"] == 0


candidates = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=8)


@given(st.lists(candidates, min_size=1, max_size=5))
def test_pessimistic_is_never_above_file_order(questions: list[list[tuple[bool, float]]]) -> None:
    groups = [(str(n), [label for label, _ in question]) for n, question in enumerate(questions)]
    scores = [value for question in questions for _, value in question]
    sound, official = score(groups, scores).scores, score_official(groups, scores).scores
    for name in ("mrr", "map", "accuracy@1", "accuracy@2", "accuracy@3"):
        assert 0 <= sound[name] <= official[name] + 1e-9 <= 100 + 1e-6
    if not sound["tied_questions"]:
        assert sound == official


@given(st.lists(candidates, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_sound_figures_do_not_depend_on_the_candidates_order(
    questions: list[list[tuple[bool, float]]], generator: object
) -> None:
    def of(lists: list[list[tuple[bool, float]]]) -> dict[str, object]:
        groups = [(str(n), [label for label, _ in question]) for n, question in enumerate(lists)]
        return score(groups, [value for question in lists for _, value in question]).scores

    shuffled = [list(question) for question in questions]
    for question in shuffled:
        generator.shuffle(question)  # type: ignore[attr-defined]
    assert of(shuffled) == of(questions)


@given(st.lists(st.lists(st.booleans(), min_size=1).filter(any), min_size=1))
def test_perfect_scores(labels: list[list[bool]]) -> None:
    groups = [(str(n), question) for n, question in enumerate(labels)]
    scores = score(groups, [float(label) for question in labels for label in question]).scores
    assert scores["mrr"] == scores["map"] == scores["accuracy@1"] == pytest.approx(100)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.squad import task as squad2
from caveat.benchmarks.squad.task import best_threshold, best_threshold_official, score_answer
from caveat.core.errors import CaveatError


@pytest.mark.parametrize(
    ("prediction", "golds", "expected"),
    [
        ("", [], (1, 1)),
        ("the", [], (1, 1)),  # normalises to nothing, so it says "no answer"
        ("dog", [], (0, 0)),
        ("the", ["The"], (1, 1)),  # the only gold normalises to nothing and becomes ""
        ("", ["The"], (1, 1)),
        ("", ["The", "cat"], (0, 0)),  # … but is passed over where there is another
        ("big cat", ["cat"], (0, 2 / 3)),
    ],
)
def test_answers(prediction: str, golds: list[str], expected: tuple[float, float]) -> None:
    assert score_answer(prediction, golds) == pytest.approx(expected)


GOLD = {"a": ["cat"], "b": ["dog"], "c": [], "d": []}
PREDICTED = {"a": "cat", "b": "big dog", "c": "", "d": "fish"}


def test_groups() -> None:
    scores = squad2.score(GOLD, PREDICTED).scores
    assert scores == {
        "exact_match": 50.0,
        "f1": pytest.approx(100 * (1 + 2 / 3 + 1) / 4),
        "total": 4,
        "missing": 0,
        "has_answer": {"exact_match": 50.0, "f1": pytest.approx(100 * (5 / 3) / 2), "total": 2},
        "no_answer": {"exact_match": 50.0, "f1": 50.0, "total": 2},
    }
    assert squad2.score_official(GOLD, PREDICTED).scores == scores


def test_a_missing_prediction_is_wrong_even_for_an_unanswerable_question() -> None:
    scored = squad2.score(GOLD, {"a": "cat"})
    assert (scored.scores["exact_match"], scored.scores["missing"]) == (25.0, 3)
    assert scored.scores["no_answer"]["exact_match"] == 0
    with pytest.raises(CaveatError, match="KeyError at question b"):
        squad2.score_official(GOLD, {"a": "cat"})


def test_the_threshold_is_strict() -> None:
    probabilities = {"a": 0.5, "b": 0.6, "c": 0.9, "d": 0.9}
    scores = squad2.score_official(GOLD, PREDICTED, probabilities, 0.5).scores
    # b, c and d become "no answer": a right, b wrong, c and d right.
    assert scores["exact_match"] == 75.0
    assert scores["has_answer"]["exact_match"] == 50.0
    assert scores["no_answer"]["exact_match"] == 100.0
    with pytest.raises(CaveatError, match="no no-answer probability"):
        squad2.score_official(GOLD, PREDICTED, {"a": 0.5})


def test_best_threshold() -> None:
    probabilities = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
    scores = squad2.score_official(GOLD, PREDICTED, probabilities).scores
    # "Answer nothing" has 2 right (c, d). Up to 0.1: +1 (a) = 3. Up to 0.2: b adds nothing to EM, 2/3 to F1.
    assert (scores["best_exact_match"], scores["best_exact_match_threshold"]) == (75.0, 0.1)
    assert (scores["best_f1"], scores["best_f1_threshold"]) == (pytest.approx(100 * (3 + 2 / 3) / 4), 0.2)
    # Precision 1 at recall 1/2; then EM 1/2 at recall 1/2, F1 (5/3)/2 at recall (5/3)/2.
    assert scores["average_precision"]["exact_match"] == pytest.approx(50.0)
    assert scores["average_precision"]["f1"] == pytest.approx(100 * (0.5 + (5 / 6) * (1 / 3)))


def test_published_threshold_depends_on_the_order_of_ties() -> None:
    gold: dict[str, list[str]] = {"x": ["cat"], "y": [], "z": ["dog"]}
    predicted = {"x": "cat", "y": "fish", "z": "fish"}
    raw = {"x": 1.0, "y": 0.0, "z": 0.0}
    good, bad = {"x": 0.5, "y": 0.5, "z": 0.5}, {"y": 0.5, "x": 0.5, "z": 0.5}
    assert best_threshold_official(gold, predicted, good, raw).score == pytest.approx(200 / 3)
    assert best_threshold_official(gold, predicted, bad, raw).score == pytest.approx(100 / 3)
    # Soundly, equal probabilities move together, in whatever order they stand.
    assert best_threshold(gold, predicted, good, raw) == best_threshold(gold, predicted, bad, raw)
    assert best_threshold(gold, predicted, good, raw).score == pytest.approx(100 / 3)


def test_published_threshold_looks_at_the_raw_string() -> None:
    gold: dict[str, list[str]] = {"x": [], "y": ["cat"]}
    predicted = {"x": "the", "y": "cat"}
    raw, probabilities = {"x": 1.0, "y": 1.0}, {"x": 0.1, "y": 0.2}
    # "the" is scored as right, yet costs one here: 1 − 1 + 1.
    assert best_threshold_official(gold, predicted, probabilities, raw).score == 50.0
    assert best_threshold(gold, predicted, probabilities, raw).score == 100.0


@given(
    st.dictionaries(
        st.sampled_from("abcdef"),
        st.tuples(
            st.lists(st.sampled_from(["cat", "big dog", "the"]), max_size=2),
            st.sampled_from(["", "cat", "dog", "the"]),
            st.sampled_from([0.0, 0.3, 0.7, 1.0]),
        ),
        min_size=1,
    )
)
def test_the_best_threshold_is_the_best_of_all(data: dict[str, tuple[list[str], str, float]]) -> None:
    gold = {id: golds for id, (golds, _, _) in data.items()}
    predicted = {id: text for id, (_, text, _) in data.items()}
    probabilities = {id: probability for id, (_, _, probability) in data.items()}
    scores = squad2.score(gold, predicted, probabilities).scores
    reached = [
        squad2.score(gold, predicted, probabilities, threshold).scores["f1"]
        for threshold in (-1.0, 0.0, 0.3, 0.7, 1.0)
    ]
    assert scores["best_f1"] == pytest.approx(max(reached))
    again = squad2.score(gold, predicted, probabilities, scores["best_f1_threshold"]).scores["f1"]
    assert again == pytest.approx(scores["best_f1"])

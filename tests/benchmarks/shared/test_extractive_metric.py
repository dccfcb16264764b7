from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.bench import metrics
from caveat.benchmarks.shared import extractive_metric as extractive
from caveat.benchmarks.shared.extractive_metric import score_answer, score_answer_official
from caveat.core.errors import CaveatError

WORDS = st.text(alphabet="abc the.,", max_size=12)


@pytest.mark.parametrize(
    ("prediction", "golds", "exact", "f1"),
    [
        ("The Denver Broncos!", ["denver broncos"], 1, 1),
        # Two of three predicted words are right, and both gold words: P 2/3, R 1.
        ("mighty Denver Broncos", ["Denver Broncos"], 0, 0.8),
        # A repeated word counts as often as it stands on both sides: overlap 1, P 1/2, R 1.
        ("ha ha", ["ha"], 0, 2 / 3),
        # EM and F1 each take the best gold.
        ("red car", ["blue car", "red"], 0, 2 / 3),
        ("U.S.-based", ["USbased"], 1, 1),
        ("dog", ["cat"], 0, 0),
    ],
)
def test_answers(prediction: str, golds: list[str], exact: float, f1: float) -> None:
    assert score_answer(prediction, golds) == (exact, pytest.approx(f1))
    assert score_answer_official(prediction, golds) == (exact, pytest.approx(f1))


def test_two_answers_that_normalise_to_nothing() -> None:
    assert score_answer_official("the", ["."]) == (1.0, 0.0)  # the published quirk
    assert score_answer("the", ["."]) == (1.0, 1.0)


GOLD = {"q1": ["Paris"], "q2": ["the river Seine", "Seine"], "q3": ["1789"]}


def test_a_missing_prediction_is_wrong() -> None:
    scored = extractive.score(GOLD, {"q1": "paris", "q2": "Seine river", "q9": "x"})
    # q2: "seine river" against "river seine": all words right, not equal: EM 0, F1 1.
    assert scored.scores == {
        "exact_match": pytest.approx(100 / 3),
        "f1": pytest.approx(200 / 3),
        "total": 3,
        "missing": 1,
    }
    assert scored.missing == ("q3",)
    assert scored.unknown == ("q9",)
    assert [row["exact_match"] for row in scored.details] == [100, 0, 0]


def test_published_missing_and_skipping() -> None:
    predicted = {"q1": "paris"}
    assert extractive.score_official(GOLD, predicted).scores["exact_match"] == pytest.approx(100 / 3)
    assert extractive.score_official_skipping(GOLD, predicted).scores["exact_match"] == 100
    with pytest.raises(CaveatError, match="divides by zero"):
        extractive.score_official_skipping(GOLD, {})


def test_a_question_without_gold() -> None:
    with pytest.raises(CaveatError, match="stops at question q1"):
        extractive.score_official({"q1": []}, {"q1": ""})
    assert extractive.score({"q1": []}, {"q1": ""}).scores["exact_match"] == 100
    assert extractive.score({"q1": []}, {"q1": "x"}).scores["exact_match"] == 0


def test_nothing_to_score() -> None:
    assert extractive.score({}, {}).scores["f1"] is None


GOLDS = st.dictionaries(st.sampled_from("pqrst"), st.lists(WORDS, min_size=1, max_size=3), min_size=1)
PREDICTIONS = st.dictionaries(st.sampled_from("pqrstu"), WORDS)


@given(GOLDS, PREDICTIONS)
def test_equals_the_plain_algorithm(gold: dict[str, list[str]], predicted: dict[str, str]) -> None:
    scores = extractive.score_official(gold, predicted).scores
    assert (scores["exact_match"], scores["f1"]) == pytest.approx(
        metrics.plain_mrqa(gold, predicted), abs=1e-12
    )


@given(GOLDS, PREDICTIONS, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_scores_lie_in_0_to_100(
    gold: dict[str, list[str]], predicted: dict[str, str], random: Random
) -> None:
    shuffled = list(predicted.items())
    random.shuffle(shuffled)
    one, other = extractive.score(gold, predicted).scores, extractive.score(gold, dict(shuffled)).scores
    assert one == other
    assert 0 <= one["exact_match"] <= one["f1"] <= 100


@given(GOLDS)
def test_a_gold_answer_is_right(gold: dict[str, list[str]]) -> None:
    scores = extractive.score(gold, {id: golds[0] for id, golds in gold.items()}).scores
    assert scores["exact_match"] == scores["f1"] == 100

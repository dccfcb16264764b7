"""Probabilities, and their fit to the truth, worked out by hand."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.errors import CaveatError
from caveat.models.calibration import (
    Outcome,
    best_probabilities,
    calibrate,
    expected_calibration_error,
    fit_temperature,
    fit_threshold,
)
from caveat.models.decoding import Candidate
from caveat.models.probability import distinct_scores, probabilities, weigh


def test_probabilities_by_hand() -> None:
    # e^(2 ln 3 / 2) = 3, e^(0 / 2) = 1, none e^0 = 1: 3/5, 1/5, 1/5.
    found, none = probabilities([2 * math.log(3), 0.0], temperature=2.0, none_at=0.0)
    assert found.tolist() == pytest.approx([0.6, 0.2])
    assert none == pytest.approx(0.2)
    found, none = probabilities([2 * math.log(3), 0.0], temperature=2.0, none_at=None)
    assert (found.tolist(), none) == (pytest.approx([0.75, 0.25]), 0.0)
    assert probabilities([], temperature=1.0, none_at=0.0)[1] == 1.0
    # Large logits do not overflow.
    assert probabilities([5000.0, -5000.0], temperature=1.0, none_at=-9000.0)[0].tolist() == [1.0, 0.0]


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20), st.floats(0.1, 20), st.floats(-20, 20))
def test_none_wins_exactly_below_the_threshold(
    scores: list[float], temperature: float, threshold: float
) -> None:
    scores.sort(reverse=True)
    found, none = probabilities(scores, temperature=temperature, none_at=threshold)
    assert 0 <= none <= 1
    assert all(0 <= p <= 1 for p in found)
    assert found[:10].sum() + none == pytest.approx(1)
    if abs(scores[0] - threshold) > 1e-9:
        assert (found[0] > none) == (scores[0] > threshold)


def candidate(text: str, start: int, score: float) -> Candidate:
    return Candidate(text, start, start + len(text), score)


def test_the_same_text_is_one_answer() -> None:
    one = [candidate("Rome", 0, 1.0), candidate("Paris", 9, 0.0)]
    two = [candidate("rome", 4, 3.0)]
    weighed = weigh([one, two], temperature=1.0, none_at=0.0)
    assert [(choice.text, choice.places) for choice in weighed.choices] == [
        ("rome", ((1, two[0]), (0, one[0]))),
        ("Paris", ((0, one[1]),)),
    ]
    total = math.exp(3) + 1 + 1
    assert [c.probability for c in weighed.choices] == pytest.approx([math.exp(3) / total, 1 / total])
    assert weighed.unanswerable == pytest.approx(1 / total)
    assert weighed.answered
    assert distinct_scores([*one, *two]) == (3.0, 0.0)
    assert not weigh([[], []], temperature=1.0, none_at=0.0).answered


def test_calibration_sees_the_probabilities_that_are_given_out() -> None:
    outcomes = [Outcome((3.0, 1.0), 1.0), Outcome((), 0.0, False), Outcome((-1.0,) * 12, 0.0, False)]
    for none_at in (0.5, None):
        best, none = best_probabilities(outcomes, 2.0, none_at)
        for outcome, p, n in zip(outcomes, best, none, strict=True):
            found, without = probabilities(outcome.scores, temperature=2.0, none_at=none_at)
            assert p == pytest.approx(found[0] if len(found) else 0.0)
            assert n == pytest.approx(without)


def test_threshold_by_hand() -> None:
    outcomes = [
        Outcome((5.0,), 1.0),
        Outcome((3.0,), 0.0, False),
        Outcome((2.0,), 0.5),
        Outcome((1.0,), 0.0, False),
        Outcome((), 0.0, False),
    ]
    # Right beside the last: all answered 1.5; above 1: 2.5; above 2: 2; above 3: 3; above 5: 2.
    assert fit_threshold(outcomes) == 4.0
    # Any threshold from 1 to below 5 is as good; 0 is not among them, the middle is.
    assert fit_threshold([Outcome((5.0,), 1.0), Outcome((1.0,), 0.0, False)]) == 3.0
    # 0 is as good as any, so 0.
    assert fit_threshold([Outcome((5.0,), 1.0), Outcome((-1.0,), 0.0, False)]) == 0.0
    assert fit_threshold([Outcome((5.0,), 1.0)]) == 0.0
    # Equal scores cannot be told apart.
    assert fit_threshold([Outcome((2.0,), 1.0), Outcome((2.0,), 0.0, False), Outcome((2.0,), 1.0)]) == 0.0


def test_threshold_is_the_best_of_all() -> None:
    draw = random.Random(3)
    for _ in range(50):
        outcomes = [
            Outcome((float(draw.randint(-5, 5)),), draw.random() if answerable else 0.0, answerable)
            for answerable in draw.choices([True, False], k=draw.randint(2, 12))
        ]

        def right(threshold: float, outcomes: list[Outcome] = outcomes) -> float:
            return sum(o.correct if o.scores[0] > threshold else float(not o.answerable) for o in outcomes)

        chosen = fit_threshold(outcomes)
        if len({o.answerable for o in outcomes}) == 2:
            assert right(chosen) == pytest.approx(max(right(t / 2) for t in range(-13, 14)))


def test_temperature_by_hand() -> None:
    # One answer each, always with log-odds 2, right in 3 of 4 cases, none in the fourth:
    # both losses are least where 1 / (1 + e^(-2 / T)) = 3/4, that is T = 2 / ln 3.
    outcomes = [Outcome((2.0,), 1.0)] * 3 + [Outcome((2.0,), 0.0, False)]
    assert fit_temperature(outcomes, 0.0) == pytest.approx(2 / math.log(3), rel=1e-4)
    # Two answers, none impossible: 1 / (1 + e^(-(5 - 1) / T)) = 3/4.
    outcomes = [Outcome((5.0, 1.0), 1.0)] * 3 + [Outcome((5.0, 1.0), 0.0)]
    assert fit_temperature(outcomes, None) == pytest.approx(4 / math.log(3), rel=1e-4)


def test_expected_calibration_error_by_hand() -> None:
    # (0.5, 0.6]: two of 0.6, one right: |1.2 - 1| = 0.2. (0.9, 1]: two of 0.95, both right: |1.9 - 2| = 0.1.
    assert expected_calibration_error([0.6, 0.6, 0.95, 0.95], [1, 0, 1, 1]) == pytest.approx(0.3 / 4)
    assert expected_calibration_error([0.0, 1.0], [0, 1]) == 0.0
    assert expected_calibration_error([0.0, 1.0], [1, 0], bins=5) == 1.0
    assert expected_calibration_error([], []) == 0.0


def test_calibrate() -> None:
    outcomes = [Outcome((2.0,), 1.0)] * 3 + [Outcome((2.0,), 0.0, False)] + [Outcome((), 0.0, False)]
    fitted = calibrate(outcomes)
    assert (fitted.threshold, fitted.questions) == (0.0, 5)
    assert fitted.expected_calibration_error == pytest.approx(0.0, abs=1e-4)
    assert calibrate(outcomes, has_null=False).threshold == 0.0
    with pytest.raises(CaveatError, match="gives no answer"):
        calibrate([Outcome((), 0.0)])


def test_answers_that_are_nearly_right_keep_the_threshold_down() -> None:
    # Two answers with a word too many at 1, one question without an answer at 2, an exact answer at 4.
    near = [Outcome((1.0,), 0.0, True, 0.8)] * 2
    rest = [Outcome((2.0,), 0.0, False, 0.0), Outcome((4.0,), 1.0, True, 1.0)]
    # Above 2 silence gains 1 and loses 1.6; between 1 and 2 it only loses.
    assert fit_threshold([*near, *rest]) < 1.0
    # If only exact answers count, silence below 3 costs nothing.
    exact = [Outcome(outcome.scores, outcome.correct, outcome.answerable) for outcome in (*near, *rest)]
    assert 2.0 < fit_threshold(exact) < 4.0

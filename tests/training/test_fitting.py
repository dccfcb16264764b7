"""L-BFGS on functions whose minimum is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.models.log_odds import Logit
from caveat.training.fitting import (
    Choice,
    Floats,
    Sure,
    calibration_error,
    fit_choices,
    minimise,
    tuned_threshold,
)


def test_a_quadratic_has_its_minimum_where_algebra_says() -> None:
    generator = np.random.default_rng(1)
    root = generator.normal(size=(20, 20))
    matrix, vector = root @ root.T + np.eye(20), generator.normal(size=20)

    def function(at: Floats) -> tuple[float, Floats]:
        return float(at @ matrix @ at / 2 - vector @ at), matrix @ at - vector

    found = minimise(function, np.zeros(20), tolerance=1e-14)
    assert found == pytest.approx(np.linalg.solve(matrix, vector), abs=1e-5)


def test_long_slopes_and_steep_walls() -> None:
    # Convex, steep on one side: a whole step of the gradient goes far beyond.
    def function(at: Floats) -> tuple[float, Floats]:
        return float(np.exp(at).sum() - 3 * at.sum()), np.exp(at) - 3

    assert minimise(function, np.array([-4.0, 8.0]), tolerance=1e-14) == pytest.approx(
        np.log([3, 3]), abs=1e-5
    )


def test_the_minimum_itself_stays() -> None:
    assert minimise(lambda at: (float(at @ at), 2 * at), np.zeros(3)).tolist() == [0, 0, 0]


some = st.builds(
    Sure, st.sampled_from([0.1, 0.2, 0.35, 0.5, 0.8, 0.95]), st.booleans(), st.booleans()
).filter(lambda each: each.answerable or not each.right)


def done_right(sure: list[Sure], threshold: float) -> int:
    return sum(each.right if each.probability >= threshold else not each.answerable for each in sure)


@given(st.lists(some))
def test_no_other_threshold_does_more_questions_right(sure: list[Sure]) -> None:
    chosen = done_right(sure, tuned_threshold(sure))
    assert chosen == max(done_right(sure, each / 100) for each in range(101))


def test_worked_out_by_hand() -> None:
    sure = [Sure(0.2, False, False), Sure(0.4, False, False), Sure(0.6, True, True), Sure(0.9, True, True)]
    assert tuned_threshold(sure) == pytest.approx(0.5)
    # All are answered where all have answers.
    assert tuned_threshold(sure[2:]) == 0
    # 0.2 and 0.4 that are wrong, 0.6 and 0.9 that are right, each alone in its bin.
    assert calibration_error(sure) == pytest.approx((0.2 + 0.4 + 0.4 + 0.1) / 4)
    assert calibration_error([]) == 0


def test_of_alternatives_the_right_ones_become_probable_and_none_where_none_is() -> None:
    right = Choice([{"named": 1.0}, {"guessed": 1.0}], [True, False])
    none = Choice([{"guessed": 1.0}], [False])
    fitted = fit_choices([right] * 20 + [none] * 20, 0.01, Logit(0.0, {}))
    named, guessed = fitted.score({"named": 1.0}), fitted.score({"guessed": 1.0})
    assert named > 2
    assert guessed < -2


def test_one_alternative_at_a_time_is_a_logit() -> None:
    told = [Choice([{"a": 1.0}], [True])] * 3 + [Choice([{"a": 1.0}], [False])]
    fitted = fit_choices(told, 1e-6, Logit(0.0, {}))
    assert fitted.probability({"a": 1.0}) == pytest.approx(0.75, abs=1e-3)


def test_without_anything_to_learn_the_prior_stays() -> None:
    prior = Logit(0.5, {"a": -2.0})
    assert fit_choices([Choice([{"a": 1.0}], [True], 1e-12)], 1.0, prior) == prior

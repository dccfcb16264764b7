"""A threshold is chosen by what answers are worth, not only by how many are exactly right."""

from __future__ import annotations

from caveat.runtime.calibration import Outcome, fit_threshold


def test_answers_that_are_nearly_right_keep_the_threshold_down() -> None:
    # Two answers with a word too many at 1, one question without an answer at 2, an exact answer at 4.
    near = [Outcome((1.0,), 0.0, True, 0.8)] * 2
    rest = [Outcome((2.0,), 0.0, False, 0.0), Outcome((4.0,), 1.0, True, 1.0)]
    # Above 2 silence gains 1 and loses 1.6; between 1 and 2 it only loses.
    assert fit_threshold([*near, *rest]) < 1.0
    # If only exact answers count, silence below 3 costs nothing.
    exact = [Outcome(outcome.scores, outcome.correct, outcome.answerable) for outcome in (*near, *rest)]
    assert 2.0 < fit_threshold(exact) < 4.0

"""L-BFGS on functions whose minimum is known."""

from __future__ import annotations

import numpy as np
import pytest

from caveat.training.fitting import Floats, minimise


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

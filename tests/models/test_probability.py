"""Log-odds as probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from caveat.models.probability import log_softmax, log_sum_exp, sigmoid, sigmoids, softmax


def test_sigmoid() -> None:
    assert sigmoid(0.0) == 0.5
    assert sigmoid(math.log(3)) == pytest.approx(0.75)
    assert (sigmoid(-1e4), sigmoid(1e4)) == (0.0, 1.0)
    scores = np.array([-1e4, -2.0, 0.0, 3.0, 1e4])
    assert sigmoids(scores) == pytest.approx([sigmoid(score) for score in scores.tolist()])


def test_softmax() -> None:
    assert softmax(np.log([1.0, 3.0]) + 700) == pytest.approx([0.25, 0.75])
    rows = np.array([[0.0, -np.inf], [1000.0, 1000.0]])
    assert softmax(rows).tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert np.exp(log_softmax(rows)).tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_log_sum_exp() -> None:
    assert log_sum_exp(np.array([1000.0, 1000.0])) == pytest.approx(1000 + math.log(2))

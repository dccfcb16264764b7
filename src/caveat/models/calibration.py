"""Temperature and threshold from held-out questions, and how far the probabilities then are from the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from caveat.core.errors import CaveatError
from caveat.models.probability import WEIGHED

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

from caveat.models.probability import softmax

_LEAST, _MOST = 0.05, 50.0
_GOLDEN = (math.sqrt(5) - 1) / 2


class Outcome(msgspec.Struct, frozen=True):
    """A held-out question: the distinct answers' log-odds, best first, and how right the best one is (0 to 1).

    `correct` is what a probability means, exactly right or not. `worth` is what the answer is good for even if it
    has a word too many, by which the threshold is chosen; where it is not given, the same.
    """

    scores: tuple[float, ...]
    correct: float
    answerable: bool = True
    worth: float | None = None


class Calibration(msgspec.Struct, frozen=True):
    """What goes onto a card; the error is that of the best answer's probability."""

    temperature: float
    threshold: float
    expected_calibration_error: float
    questions: int


def calibrate(outcomes: Sequence[Outcome], *, has_null: bool = True) -> Calibration:
    """The threshold, then with it the temperature, then the error that is left on the same questions."""
    if not any(outcome.scores for outcome in outcomes):
        raise CaveatError("A model cannot be calibrated on questions to which it gives no answer.")
    threshold = fit_threshold(outcomes) if has_null else 0.0
    none_at = threshold if has_null else None
    temperature = fit_temperature(outcomes, none_at)
    confidences, _ = best_probabilities(outcomes, temperature, none_at)
    correct = [outcome.correct for outcome in outcomes]
    return Calibration(
        temperature, threshold, expected_calibration_error(confidences, correct), len(outcomes)
    )


def fit_threshold(outcomes: Sequence[Outcome]) -> float:
    """The threshold with which most is gained: by answers above it, and by silence on what has no answer.

    0, where the two are equally probable to the model itself, if the questions are all of one kind. Among equally
    good thresholds the one nearest to 0 is taken.
    """
    kinds = {outcome.answerable for outcome in outcomes}
    if len(kinds) < 2:
        return 0.0
    scored = sorted((o for o in outcomes if o.scores), key=lambda outcome: outcome.scores[0])
    best = [outcome.scores[0] for outcome in scored]
    # Raising the threshold above a question's best score loses what its answer was worth, gains it if it has none.
    gains = [-_worth(outcome) if outcome.answerable else 1.0 for outcome in scored]
    totals = np.concatenate([[0.0], np.cumsum(gains)])
    candidates = [best[0] - 1.0, *((a + b) / 2 for a, b in pairwise(best)), best[-1] + 1.0]
    # Between equal scores there is no room for a threshold.
    possible = [0 < i < len(best) and best[i - 1] == best[i] for i in range(len(candidates))]
    chosen = min(
        (i for i, shut in enumerate(possible) if not shut),
        key=lambda i: (-round(float(totals[i]), 9), abs(candidates[i])),
    )
    low = -math.inf if chosen == 0 else best[chosen - 1]
    high = math.inf if chosen == len(best) else best[chosen]
    return 0.0 if low <= 0.0 < high else candidates[chosen]


def _worth(outcome: Outcome) -> float:
    return outcome.correct if outcome.worth is None else outcome.worth


def fit_temperature(outcomes: Sequence[Outcome], none_at: float | None) -> float:
    """The temperature with the least log loss: of the best answer's being right, and of there being none."""
    correct = np.array([outcome.correct for outcome in outcomes])
    unanswerable = np.array([float(not outcome.answerable) for outcome in outcomes])

    def loss(temperature: float) -> float:
        best, none = best_probabilities(outcomes, temperature, none_at)
        total = log_loss(best, correct)
        return total if none_at is None else total + log_loss(none, unanswerable)

    return least_temperature(loss)


def least_temperature(loss: Callable[[float], float], *, points: int = 60, nearness: float = 1e-5) -> float:
    """The temperature at which a loss is least: a coarse grid finds the valley, a golden section its ground."""

    def at(log_temperature: float) -> float:
        return loss(math.exp(log_temperature))

    grid = np.linspace(math.log(_LEAST), math.log(_MOST), points)
    lowest = int(np.argmin([at(float(point)) for point in grid]))
    low, high = float(grid[max(lowest - 1, 0)]), float(grid[min(lowest + 1, len(grid) - 1)])
    while high - low > nearness:
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if at(left) <= at(right):
            high = right
        else:
            low = left
    return math.exp((low + high) / 2)


def best_probabilities(
    outcomes: Sequence[Outcome], temperature: float, none_at: float | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each question the probability of its best answer, and that of none, as `probability` has them."""
    logits = np.full((len(outcomes), WEIGHED + 1), -np.inf)
    for row, outcome in enumerate(outcomes):
        scores = outcome.scores[:WEIGHED]
        logits[row, 1 : 1 + len(scores)] = scores
        # Nothing found is "no answer", even by a model that always answers.
        logits[row, 0] = (-np.inf if scores else 0.0) if none_at is None else none_at
    logits /= temperature
    weights = softmax(logits)
    return weights[:, 1], weights[:, 0]


def expected_calibration_error(confidences: ArrayLike, correct: ArrayLike, bins: int = 10) -> float:
    """Mean distance between probability and truth over bins of equal width, weighted by their questions.

    Guo et al. 2017, "On Calibration of Modern Neural Networks", section 2; on 0 to 1.
    """
    confidence, truth = np.asarray(confidences, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    if not len(confidence):
        return 0.0
    # A bin has its upper edge, not its lower one; the first has both.
    number = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    gaps = np.bincount(number, weights=confidence - truth, minlength=bins)
    return float(np.abs(gaps).sum() / len(confidence))


def log_loss(probability: NDArray[np.float64], truth: NDArray[np.float64]) -> float:
    """The mean negative log of the probability given to what was true."""
    sure = np.clip(probability, 1e-12, 1 - 1e-12)
    return float(-(truth * np.log(sure) + (1 - truth) * np.log(1 - sure)).mean())

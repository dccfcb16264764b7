"""What fits share: the minimum of a convex loss, weights of named features, the threshold of a probability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.core.errors import CaveatError
from caveat.core.loading import needs_extra
from caveat.models.log_odds import Logit, sigmoids

Floats = NDArray[np.float64]
Function = Callable[[Floats], tuple[float, Floats]]

# Weights are kept to this many digits.
_DIGITS = 4
# Of equal width, for the calibration error.
_BINS = 10


def minimise(function: Function, start: Floats, *, iterations: int = 1000, tolerance: float = 1e-9) -> Floats:
    """Where a smooth convex function, which gives its value and its gradient, is least; by L-BFGS.

    Ends after that many iterations, or when one gains less than the tolerance, as a share of the value.
    """
    try:
        from scipy.optimize import minimize
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra("Training", "scipy", "train")) from error
    found = minimize(
        function,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "maxfun": 2 * iterations, "ftol": tolerance, "gtol": 1e-8},
    )
    at: Floats = found.x
    return at


def fit_logit(
    features: Sequence[Mapping[str, float]],
    targets: Sequence[float],
    counts: Sequence[float],
    l2: float,
    prior: Logit | None = None,
) -> Logit:
    """Weights under which the targets, shares from 0 to 1, are most probable.

    They are held near 0, the constant not at all; with a `prior` all of them are held near its own.
    """
    names = sorted({name for each in features for name in each} | (prior.weights.keys() if prior else set()))
    centre = np.zeros(1 + len(names))
    if prior:
        centre[:] = prior.constant, *(prior.weights.get(name, 0.0) for name in names)
    values = np.array([[1.0, *(each.get(name, 0.0) for name in names)] for each in features])
    wanted, count = np.array(targets), np.array(counts)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = values @ weights
        held = l2 * (weights - centre)
        held[0] *= prior is not None
        value = float(count @ (np.logaddexp(0, scores) - wanted * scores)) + 0.5 * float(held @ held) / l2
        return value, values.T @ (count * (sigmoids(scores) - wanted)) + held

    found = minimise(loss, centre)
    constant, *weights = (float(f"{weight:.{_DIGITS}g}") for weight in found.tolist())
    return Logit(constant, {name: weight for name, weight in zip(names, weights, strict=True) if weight})


class Choice(NamedTuple):
    """Alternatives of which one at most is right, by their features, and which are as good as the right one."""

    alternatives: Sequence[Mapping[str, float]]
    right: Sequence[bool]
    weight: float = 1.0


def fit_choices(choices: Sequence[Choice], l2: float, prior: Logit) -> Logit:
    """Log-linear weights under which the right alternatives together, or none where none is right, are most probable.

    None has the score 0. All weights are held near the prior's.
    """
    from scipy.sparse import csr_matrix

    every = [alternative for choice in choices for alternative in choice.alternatives]
    names = sorted({name for each in every for name in each} | prior.weights.keys())
    centre = np.array([prior.constant, *(prior.weights.get(name, 0.0) for name in names)])
    place = {name: at for at, name in enumerate(names, 1)}
    cells = [
        (row, at, value)
        for row, each in enumerate(every)
        for at, value in ((0, 1.0), *((place[name], value) for name, value in each.items()))
    ]
    rows, columns, data = zip(*cells, strict=True) if cells else ((), (), ())
    values = csr_matrix((data, (rows, columns)), shape=(len(every), len(centre)))
    of = np.repeat(np.arange(len(choices)), [len(choice.alternatives) for choice in choices])
    right = np.array([one for choice in choices for one in choice.right], dtype=bool)
    answered = np.zeros(len(choices), dtype=bool)
    answered[of[right]] = True
    count = np.array([choice.weight for choice in choices])

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = values @ weights
        top = np.zeros(len(choices))
        np.maximum.at(top, of, scores)
        odds, none = np.exp(scores - top[of]), np.exp(-top)
        whole = none + np.bincount(of, odds, len(choices))
        good = np.where(answered, np.bincount(of, odds * right, len(choices)), none)
        off = weights - centre
        value = float(count @ (np.log(whole) - np.log(good))) + 0.5 * l2 * float(off @ off)
        pull = count[of] * (odds / whole[of] - np.where(answered[of], odds * right / good[of], 0.0))
        return value, values.T @ pull + l2 * off

    constant, *weights = (float(f"{weight:.{_DIGITS}g}") for weight in minimise(loss, centre).tolist())
    return Logit(constant, {name: weight for name, weight in zip(names, weights, strict=True) if weight})


class Sure(NamedTuple):
    """How probable the best answer is held to be, whether it is right, and whether there is a right one at all."""

    probability: float
    right: bool
    answerable: bool


def tuned_threshold(sure: Sequence[Sure]) -> float:
    """The threshold with most questions done right: answered where the answer is right, left where there is none.

    Of equals the lowest. A wrong answer where there is a right one is as bad as none.
    """
    # From the least sure on: what is lost and gained where it stays without an answer.
    in_order = sorted(sure, key=lambda each: each.probability)
    best, gained, threshold = 0, 0, 0.0
    for place, each in enumerate(in_order):
        gained += (not each.answerable) - each.right
        following = in_order[place + 1].probability if place + 1 < len(in_order) else 1.0
        if gained > best and following > each.probability:
            best, threshold = gained, (each.probability + following) / 2
    return threshold


def calibration_error(sure: Sequence[Sure]) -> float:
    """Expected calibration error: how far, in ten bins, the mean probability is from the share that is right."""
    bins: list[list[Sure]] = [[] for _ in range(_BINS)]
    for each in sure:
        bins[min(int(each.probability * _BINS), _BINS - 1)].append(each)
    off = sum(
        abs(sum(each.probability for each in bin) - sum(each.right for each in bin)) for bin in bins if bin
    )
    return off / len(sure) if sure else 0.0

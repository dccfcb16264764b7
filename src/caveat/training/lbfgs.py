"""L-BFGS: the minimum of a smooth convex function, from its values and gradients."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["minimise"]

Floats = NDArray[np.float64]
Function = Callable[[Floats], tuple[float, Floats]]

_REMEMBERED = 10
_LEAST_STEP = 1e-8


def minimise(function: Function, start: Floats, *, iterations: int = 200, tolerance: float = 1e-6) -> Floats:
    """Where the function, which gives its value and its gradient, is least.

    Ends after so many iterations, or when one gains less than the tolerance, as a share of the value.
    """
    at, (value, gradient) = start, function(start)
    # The last steps and how the gradient changed along them.
    memory: deque[tuple[Floats, Floats]] = deque(maxlen=_REMEMBERED)
    for _ in range(iterations):
        direction = -_times_inverse_hessian(gradient, memory)
        slope = float(gradient @ direction)
        step = 1.0
        while True:
            new = at + step * direction
            new_value, new_gradient = function(new)
            # Armijo's condition; of a convex function a curvature condition is not needed to go down.
            if new_value <= value + 1e-4 * step * slope or step < _LEAST_STEP:
                break
            step /= 2
        if new_value >= value:
            break
        change = new_gradient - gradient
        if float(change @ (new - at)) > 1e-10:
            memory.append((new - at, change))
        gained = value - new_value
        at, value, gradient = new, new_value, new_gradient
        if gained < tolerance * abs(value):
            break
    return at


def _times_inverse_hessian(gradient: Floats, memory: deque[tuple[Floats, Floats]]) -> Floats:
    """The two loops of Nocedal and Wright, Algorithm 7.4."""
    if not memory:
        return gradient / max(1.0, float(np.linalg.norm(gradient)))
    result = gradient.copy()
    shares = []
    for step, change in reversed(memory):
        share = float(step @ result) / float(change @ step)
        shares.append(share)
        result -= share * change
    step, change = memory[-1]
    result *= float(step @ change) / float(change @ change)
    for (step, change), share in zip(memory, reversed(shares), strict=True):
        result += step * (share - float(change @ result) / float(change @ step))
    return result

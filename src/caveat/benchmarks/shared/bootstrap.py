"""Whether the difference between two systems is real: a paired bootstrap over the questions of a set.

Efron and Tibshirani 1993, chapters 13 and 16. A resample of a set takes as many questions as it has, with replacement,
the same ones for both systems; an average over sets is resampled within each set.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

__all__ = ["Difference", "judge", "resampled_differences"]

_TAILS = (2.5, 97.5)
Floats = NDArray[np.float64]


class Difference(msgspec.Struct, frozen=True):
    """The first system's score less the second's, its 95 % interval, and a two-sided p."""

    difference: float
    low: float
    high: float
    p: float


def resampled_differences(
    first: Mapping[Any, float], second: Mapping[Any, float], resamples: int, seed: int, name: str
) -> Floats:
    """The mean difference over the questions that both have, in each resample.

    `name` is that of the set: two sets draw independently, and a set draws alike whatever else is compared.
    """
    apart = np.array([first[id] - second[id] for id in first if id in second], dtype=np.float64)
    # How often each value is drawn is all that a mean depends on, and there are far fewer values than questions.
    values, counts = np.unique(apart, return_counts=True)
    generator = np.random.default_rng([seed, zlib.crc32(name.encode("utf-8"))])
    drawn = generator.multinomial(apart.size, counts / apart.size, size=resamples)
    means: Floats = drawn @ values / apart.size
    return means


def judge(difference: float, resampled: Sequence[Floats] | Iterable[Floats]) -> Difference:
    """A difference with its interval and p; of several sets the average of their resampled differences."""
    means = np.mean(np.stack(list(resampled)), axis=0)
    low, high = (float(value) for value in np.percentile(means, _TAILS))
    # A value beside zero by rounding alone is zero; one is added so that no p is 0, which no finite sample can show.
    below, above = int(np.sum(means <= 1e-9)), int(np.sum(means >= -1e-9))
    return Difference(difference, low, high, min(1.0, 2 * (1 + min(below, above)) / (1 + means.size)))

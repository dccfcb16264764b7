"""From which probability on an answer is better than none, and how well probabilities hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Sure", "calibration_error", "tuned_threshold"]

_BINS = 10


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

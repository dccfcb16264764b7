"""Scores as a submission wants them: no two alike, so that no scorer has to choose between equals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caveat.answerers.ranking.matching import Floats

__all__ = ["distinct"]

# Far below what tells two candidates apart, far above what a file of decimal digits loses.
_STEP = 1e-9


def distinct(scores: Sequence[float] | Floats) -> Floats:
    """The scores in the same order, those of equal ones falling by tiny steps: the earlier candidate stays ahead."""
    found = np.array(scores, dtype=np.float64)
    last = np.inf
    for place in np.argsort(-found, kind="stable").tolist():
        if found[place] >= last:
            found[place] = last - _STEP * max(1.0, abs(last))
        last = found[place]
    return found

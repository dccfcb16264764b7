"""Krippendorff's alpha of nominal values (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability").

By hand: the package for it is under the GPL, and NLTK, which the tests compare with, is never used at run time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["nominal_alpha"]


def nominal_alpha(counts: npt.NDArray[np.int64]) -> float | None:
    """Alpha of a table with a row a unit and a column a value: how many gave it that value.

    None where there is nothing to disagree on: no unit that two people judged, or one value throughout.
    """
    table = counts[counts.sum(axis=1) > 1].astype(np.float64)
    of_unit, of_value = table.sum(axis=1), table.sum(axis=0)
    total = of_unit.sum()
    expected = (total**2 - (of_value**2).sum()) / (total * (total - 1)) if total else 0.0
    if not expected:
        return None
    observed = ((of_unit**2 - (table**2).sum(axis=1)) / (of_unit - 1)).sum() / total
    return float(1 - observed / expected)

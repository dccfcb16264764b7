"""BM25 (Robertson and Zaragoza 2009): how well texts fit a question, by which of its terms they have and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

# The usual constants: how fast another occurrence stops counting, and how much a text's length counts against it.
K1, B = 1.2, 0.75


def idf(holding: ArrayLike, texts: int) -> Floats:
    """The weight of a term that `holding` of the texts have: the fewer, the more it tells; never below 0."""
    number = np.asarray(holding)
    weight: Floats = np.log1p((texts - number + 0.5) / (number + 0.5))
    return weight


def rarity(counts: Floats, others: int = 0, common: NDArray[np.bool_] | None = None) -> Floats:
    """The `idf` of each term, a column of counts, among these texts; 0 for one that none of them has.

    `others` more texts are imagined beside them, which have the terms that are `common` and no others.
    """
    holding = (counts > 0).sum(0)
    with_others = holding if common is None else holding + others * common
    return np.where(holding > 0, idf(with_others, len(counts) + others), 0.0)


def damping(lengths: ArrayLike) -> Floats:
    """How many occurrences of a term give half of what it can give, for texts of these lengths in tokens."""
    sizes = np.asarray(lengths, dtype=np.float64)
    mean = max(float(sizes.mean()), 1.0) if len(sizes) else 1.0
    damped: Floats = K1 * (1 - B + B * sizes / mean)
    return damped


def saturated(counts: NDArray[Any], damped: Floats | float = K1) -> Floats:
    """What counts of a term come to, between 0 and 1; texts of like length need no other damping."""
    shares: Floats = counts / (counts + damped)
    return shares


def bm25(counts: Floats, lengths: NDArray[np.intp], weights: Floats | None = None) -> Floats:
    """The score of each text, a row of counts; with the terms' rarity among the texts, or with other weights."""
    parts = (K1 + 1) * saturated(counts, damping(lengths)[:, None])
    scores: Floats = parts @ (rarity(counts) if weights is None else weights)
    return scores

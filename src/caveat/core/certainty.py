"""How sure an answer is, in one of four words: the probability that it claims, held against what was measured."""

from __future__ import annotations

from typing import Literal

Certainty = Literal["sure", "likely", "guess", "unsure"]

# Of 871 English and 868 Chinese questions on pages of repositories that the models had not seen, what was claimed is
# off by 5 and 4 points of 100 (expected calibration error: docs/results/field.md, each decision.json). So a
# claim can be read as a share of right answers: four of five and more, more than half, at least three of ten.
_LIMITS: tuple[tuple[float, Certainty], ...] = ((0.8, "sure"), (0.5, "likely"), (0.3, "guess"))


def certainty_of(score: float) -> Certainty:
    """The word for a probability; below that of a guess nothing should be built on an answer."""
    # As it is shown: 29.9 % is shown as 30 %.
    shown = round(score, 2)
    return next((word for limit, word in _LIMITS if shown >= limit), "unsure")

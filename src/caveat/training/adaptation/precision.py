"""How exactly an adapted reader's weights are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caveat.training.export import Precision

__all__ = ["chosen_precision"]

# Points of F1 that int8 may lose: it is a quarter of the size and faster by half.
_MOST_LOST = 0.5


def chosen_precision(f1: Mapping[Precision, float]) -> Precision:
    """int8, but for a model that loses by it what it has learnt, given the F1 of both on held-out questions.

    A run from an int8 model moves its weights by less than one of their steps, and rounding them again brings many of
    them back to where they were.
    """
    return "int8" if f1["fp32"] - f1["int8"] <= _MOST_LOST else "fp32"

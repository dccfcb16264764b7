"""Probabilities as people read them."""

from __future__ import annotations

__all__ = ["percent"]


def percent(score: float) -> str:
    """A probability in whole per cent; nothing is called certain or impossible that is not."""
    if 0.0 < score < 0.01:
        return "<1%"
    if 0.99 < score < 1.0:
        return ">99%"
    return f"{100 * score:.0f}%"

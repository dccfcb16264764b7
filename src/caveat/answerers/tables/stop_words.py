"""Words that say nothing about which table, row or column is meant, as stems."""

from __future__ import annotations

from caveat.answerers.tables.units import stem
from caveat.language import stop_words

__all__ = ["STOP_WORDS", "stems"]


def stems(text: str) -> tuple[str, ...]:
    """The stems of words between blanks, in their order."""
    return tuple(map(stem, text.split()))


STOP_WORDS = frozenset(map(stem, stop_words.STOP_WORDS))

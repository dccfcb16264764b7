"""What the answer to one question about a measure says of another: who is under 18 is not over 60."""

from __future__ import annotations

from math import inf

from caveat.language.intervals import Interval, intervals_in

__all__ = ["implied"]


def implied(asked: str, yes: bool, other: str) -> bool | None:
    """The answer to `other` that follows from yes or no to `asked`; None where none does.

    Both ask of the same measure, in the same words but for the numbers and what bounds them.
    """
    one, two = _measure(asked), _measure(other)
    if one is None or two is None:
        return None
    (known, words), (wanted, others) = one, two
    if (known.dimension, known.periodic) != (wanted.dimension, wanted.periodic) or not _alike(words, others):
        return None
    if yes:
        if wanted.low <= known.low and known.high <= wanted.high:
            return True
        return False if known.high < wanted.low or wanted.high < known.low else None
    if known.low <= wanted.low and wanted.high <= known.high:
        return False
    # Of what is not in the one, all is in the other: both go on for ever on their own side.
    above = known.low == -inf and wanted.high == inf and wanted.low <= known.high + 1
    below = known.high == inf and wanted.low == -inf and wanted.high >= known.low - 1
    return True if above or below else None


def _measure(text: str) -> tuple[Interval, frozenset[str]] | None:
    found = intervals_in(text)
    if len(found) != 1:
        return None
    measure = found[0]
    around = f"{text[: measure.start]} {text[measure.end :]}".casefold()
    return measure, frozenset(around if any(ord(each) > 0x2E7F for each in around) else around.split())


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether half of all their words are in both."""
    return 2 * len(words & others) >= len(words | others)

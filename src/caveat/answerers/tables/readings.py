"""All the ways in which a question can be read on a table."""

from __future__ import annotations

from caveat.answerers.tables.computed import average, count, total
from caveat.answerers.tables.extremes import most_frequent, superlative
from caveat.answerers.tables.lookups import look_up, neighbour, order
from caveat.answerers.tables.pairs import choice, difference, either, same
from caveat.answerers.tables.reading import Reading
from caveat.answerers.tables.view import View

__all__ = ["readings"]

_READERS = (
    look_up,
    superlative,
    order,
    neighbour,
    most_frequent,
    count,
    total,
    average,
    difference,
    choice,
    either,
    same,
)


def readings(view: View) -> list[Reading]:
    """Those that come into question at all; which is right, the confidence has to tell."""
    if not view.height or not view.columns:
        return []
    return [reading for read in _READERS if (reading := read(view)) is not None]

"""The row after or before the one that a question names, and the one nearest to a date."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from caveat.answerers.tables.describe import described
from caveat.answerers.tables.interpretation import (
    Interpretation,
    Target,
    features_of,
    find_target,
    targets,
    tokens_of,
)
from caveat.answerers.tables.selection import Condition, View
from caveat.language.quantities import is_blank

# A row this many tokens away from "after" is not what comes before it.
_FAR = 8
# The rows that may be named together: what comes after the last of them, or before the first, is meant.
_MOST_NAMED = 3
# "X is before who": what is asked for stands behind the word.
_ASKED_BEHIND = re.compile(r" (?:who|whom|what|which)\b")


def neighbour(view: View) -> Iterator[Interpretation]:
    """The row after or before the one that the question names."""
    yield from _beside(view, view.parsed.cue("next"), 1)
    yield from _beside(view, view.parsed.cue("previous"), -1)


def _beside(view: View, span: tuple[int, int] | None, step: int) -> Iterator[Interpretation]:
    if span is None:
        return
    conditions = [c for c in view.conditions if c.relation is None and not c.excluded]
    if not conditions or any(c.start <= span[0] < c.end for c in view.parsed.comparisons):
        yield from _nearest_in_time(view, span, step)
        return
    rows = np.flatnonzero(view.rows_of(conditions))
    if _ASKED_BEHIND.match(view.parsed.text, span[1]):
        step = -step
    near = min((_gap(view.tokens_in(*span), c.tokens) for c in conditions), default=_FAR)
    if near >= _FAR or not 0 < rows.size <= _MOST_NAMED:
        return
    if not 0 <= (row := int(rows[-1 if step == 1 else 0]) + step) < view.height:
        return
    for target in _beside_targets(view, conditions):
        if not is_blank(view.columns[target.column].cell(row)):
            found = _stepped(view, span, conditions, target, row, step)
            yield found._replace(features=found.features | {"several rows": float(rows.size > 1)})


def _nearest_in_time(view: View, span: tuple[int, int], step: int) -> Iterator[Interpretation]:
    """The first row after a date, the last before it."""
    compared = [
        c for c in view.conditions if c.relation is not None and view.columns[c.column].kind == "date"
    ]
    if not compared:
        return
    values = view.columns[compared[0].column].values
    rows = np.flatnonzero(view.rows_of(view.conditions) & ~view.totals)
    if not rows.size:
        return
    nearest = values[rows].min() if step == 1 else values[rows].max()
    found = [int(row) for row in rows[values[rows] == nearest]]
    row = found[0 if step == 1 else -1]
    for target in targets(view, {c.column for c in view.conditions if c.relation is None}):
        if not is_blank(view.columns[target.column].cell(row)):
            stepped = _stepped(view, span, view.conditions, target, row, step)
            yield stepped._replace(features=stepped.features | {"nearest in time": 1.0})


def _stepped(
    view: View, span: tuple[int, int], conditions: list[Condition], target: Target, row: int, step: int
) -> Interpretation:
    column = view.columns[target.column]
    en, zh = ("after", "下") if step == 1 else ("before", "上")
    return Interpretation(
        "neighbour",
        column.cell(row),
        (row,),
        tuple(dict.fromkeys((target.column, *(c.column for c in conditions)))),
        described(
            view,
            f"{{target}} of the row {en} the one{{where}}",
            f"{{where}}那一行的{zh}一行的{{target}}",
            conditions,
            target=column,
        ),
        tokens_of(conditions, view.tokens_in(*span), target.tokens),
        features_of(
            target,
            conditions,
            **{"column of the row named": float(target.column in {c.column for c in conditions})},
        ),
    )


def _gap(first: frozenset[int], second: frozenset[int]) -> int:
    """How many tokens stand between two places of the question."""
    return min((abs(one - other) for one in first for other in second), default=_FAR)


def _beside_targets(view: View, conditions: list[Condition]) -> Iterator[Target]:
    """The column asked for, else the one in which the row was named; then all others."""
    target = find_target(view)
    if target is None or target.how not in ("name", "synonym"):
        named = max(conditions, key=lambda c: (view.columns[c.column].kind == "text", len(c.tokens)))
        target = Target(named.column, frozenset(), "key")
    yield target
    for other in targets(view):
        if other.column != target.column:
            yield other._replace(other=True)

"""Readings whose answer stands in the rows that a question names: their cells, or those of the next or first row."""

from __future__ import annotations

import re

import numpy as np

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.reading import Reading, cells_of, described, signs_of, units_of
from caveat.answerers.tables.target import Target, find_target
from caveat.answerers.tables.view import Condition, View
from caveat.language.quantities import is_blank

__all__ = ["look_up", "neighbour", "order", "wants_number"]

_MOST_ROWS = 30
# More than one row is asked for.
_LIST = re.compile(
    r"哪些|有哪|分别|\b(?:list|name (?:all|each|every)|(?:who|what|which) (?:are|were)|which (?:\w+ )?\w+[^\Ws]s)\b"
)
# A row this many units away from "after" is not what comes before it.
_FAR = 8
# "X is before who": what is asked for stands behind the word.
_ASKED_BEHIND = re.compile(r" (?:who|whom|what|which)\b")


def wants_number(view: View) -> bool:
    """Whether the answer is a number: how many, how much."""
    return bool(view.asked.cue("count") or view.asked.cue("how much"))


def look_up(view: View) -> Reading | None:
    """The cells of the column asked for, in the rows that meet the conditions."""
    conditions = view.conditions
    if not conditions:
        return None
    chosen = view.rows_of(conditions)
    if (chosen & ~view.totals).any():
        chosen &= ~view.totals
    rows = np.flatnonzero(chosen).tolist()
    numbers = wants_number(view)
    target = find_target(view, {c.column for c in conditions if not c.excluded}, numbers=numbers)
    if target is None or not 0 < len(rows) <= _MOST_ROWS:
        return None
    column = view.columns[target.column]
    if all(is_blank(column.cell(row)) for row in rows):
        return None
    several = len(rows) > 1
    return Reading(
        "look-up",
        cells_of(view, target.column, rows),
        tuple(rows),
        (target.column, *dict.fromkeys(c.column for c in conditions)),
        described(view, "{column}{where}", "{where}{column}", conditions, column=column),
        units_of(conditions, target.units),
        signs_of(
            target,
            conditions,
            **{
                "several rows": float(several),
                "list wanted": float(several and _LIST.search(view.asked.text) is not None),
                "number wanted": float(numbers),
                "number found": float(numbers and column.kind == "number"),
                "compared": float(any(c.relation is not None for c in conditions)),
            },
        ),
    )


def order(view: View) -> Reading | None:
    """The first or last row that meets the conditions: in time where the table has dates, else as it stands."""
    if view.asked.order is None:
        return None
    last, span = view.asked.order
    conditions = view.conditions
    used = {c.column for c in conditions if c.relation is None}
    target = find_target(view, used, numbers=wants_number(view))
    if target is None:
        return None
    column = view.columns[target.column]
    allowed = np.flatnonzero(view.rows_of(conditions) & ~view.totals).tolist()
    rows = [row for row in allowed if not is_blank(column.cell(row))]
    if not rows:
        return None
    dated = _dated(view, max(view.units_in(*span), default=0), rows)
    row = _end(rows, dated, last)
    en, zh = ("latest", "最晚") if last else ("earliest", "最早")
    if dated is not None:
        description = described(
            view,
            f"{{target}} of the row with the {en} {{date}}{{where}}",
            f"{{where}}{{date}}{zh}的{{target}}",
            conditions,
            target=column,
            date=dated,
        )
    else:
        en, zh = ("last", "最后一") if last else ("first", "第一")
        description = described(
            view,
            f"{{target}} of the {en} row{{where}}",
            f"{{where}}{zh}行的{{target}}",
            conditions,
            target=column,
        )
    return Reading(
        "order",
        column.cell(row),
        (row,),
        tuple(dict.fromkeys((target.column, *([dated.index] if dated else [])))),
        description,
        units_of(conditions, view.units_in(*span), target.units),
        signs_of(target, conditions, **{"dated": float(dated is not None)}),
    )


def _dated(view: View, after: int, rows: list[int]) -> Column | None:
    """The column of dates that tells which row is first: named after the word, else the first; all rows have one."""
    dates = [column for column in view.columns if column.kind == "date"]
    named = view.named(("date",), after=after)
    dated = view.columns[named[0].column] if named else dates[0] if dates else None
    return dated if dated is not None and not np.isnan(dated.values[rows]).any() else None


def _end(rows: list[int], dated: Column | None, last: bool) -> int:
    if dated is None:
        return rows[-1 if last else 0]
    values = dated.values[rows]
    best = values.max() if last else values.min()
    same = [row for row, value in zip(rows, values, strict=True) if value == best]
    # Of rows with one date, the order of the table tells, whichever way it goes.
    descending = bool(values[0] > values[-1])
    return same[-1] if last != descending else same[0]


def neighbour(view: View) -> Reading | None:
    """The row after or before the one that the question names."""
    return _beside(view, view.asked.cue("next"), 1) or _beside(view, view.asked.cue("previous"), -1)


def _beside(view: View, span: tuple[int, int] | None, step: int) -> Reading | None:
    if span is None or any(c.start <= span[0] < c.end for c in view.asked.comparisons):
        return None
    conditions = [c for c in view.conditions if c.relation is None and not c.excluded]
    rows = np.flatnonzero(view.rows_of(conditions))
    if _ASKED_BEHIND.match(view.asked.text, span[1]):
        step = -step
    near = min((_gap(view.units_in(*span), c.units) for c in conditions), default=_FAR)
    if near >= _FAR or rows.size != 1 or not 0 <= (row := int(rows[0]) + step) < view.height:
        return None
    target = _beside_target(view, conditions)
    column = view.columns[target.column]
    if is_blank(column.cell(row)):
        return None
    en, zh = ("after", "下") if step == 1 else ("before", "上")
    return Reading(
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
        units_of(conditions, view.units_in(*span), target.units),
        signs_of(target, conditions),
    )


def _gap(first: frozenset[int], second: frozenset[int]) -> int:
    """How many units stand between two places of the question."""
    return min((abs(one - other) for one in first for other in second), default=_FAR)


def _beside_target(view: View, conditions: list[Condition]) -> Target:
    """The column asked for, else the one in which the row was named."""
    target = find_target(view)
    if target is not None and target.how in ("name", "synonym"):
        return target
    named = max(conditions, key=lambda c: (view.columns[c.column].kind == "text", len(c.units)))
    return Target(named.column, frozenset(), "key")

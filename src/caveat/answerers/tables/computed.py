"""Readings whose answer is computed over many rows: counts, sums, averages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from caveat.answerers.tables.describe import amount
from caveat.answerers.tables.linked import about
from caveat.answerers.tables.reading import Operation, Reading, described, signs_of, units_of
from caveat.answerers.tables.stop_words import stems
from caveat.answerers.tables.target import find_target
from caveat.answerers.tables.view import Condition, View
from caveat.language.quantities import is_blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["average", "count", "total"]


# "How many were built" counts no builders.
_VERBS = frozenset(stems("is are was were be been has have had do does did"))


def _counted(view: View, conditions: list[Condition]) -> NDArray[np.intp]:
    return np.flatnonzero(view.rows_of(conditions) & ~view.totals)


def count(view: View) -> Reading | None:
    """How many rows meet the conditions, or how many different texts stand in them."""
    span = view.asked.cue("count")
    if span is None:
        return None
    conditions = view.conditions
    rows = _counted(view, conditions)
    different = view.asked.cue("different")
    after = max(view.units_in(*span), default=0)
    near = [
        link
        for link in view.named(("text", "date", "number"), after=after)
        if link.start <= after + 4
        and _VERBS.isdisjoint(unit.stem for unit in view.asked.units[after : link.start])
    ]
    numeric = any(view.columns[link.column].kind == "number" for link in near)
    texts = [link for link in near if view.columns[link.column].kind != "number"]
    units = units_of(conditions, view.units_in(*span))
    if texts:
        units |= frozenset(range(texts[0].start, texts[0].end))
    # "How many Xs": the column X is counted where it says something.
    column = view.columns[texts[0].column] if texts else view.columns[view.key] if view.columns else None
    if column is None:
        return None
    filled = [row for row in rows.tolist() if not is_blank(column.cell(row))]
    if texts:
        rows = np.array(filled, dtype=np.intp)
    number = len({column.cell(row) for row in filled}) if different else rows.size
    description = (
        described(
            view, "count of different {column}{where}", "{where}不同{column}的个数", conditions, column=column
        )
        if different
        else described(view, "count of rows{where}", "{where}行数", conditions)
    )
    return Reading(
        "count",
        str(number),
        tuple(rows.tolist()),
        tuple(dict.fromkeys((*(c.column for c in conditions), *([column.index] if texts else [])))),
        description,
        units | (view.units_in(*different) if different else frozenset()),
        signs_of(
            None,
            conditions,
            **{
                "number column named": float(numeric),
                "noun named": float(bool(texts)),
                "nothing counted": float(number == 0),
                "one row": float(number == 1),
                "compared": float(any(c.relation is not None for c in conditions)),
            },
        ),
    )


def total(view: View) -> Reading | None:
    """The sum of a column over the rows that meet the conditions."""
    span = view.asked.cue("sum") or view.asked.cue("count")
    return _aggregated(view, "sum", span) if span else None


def average(view: View) -> Reading | None:
    """The mean of a column over the rows that meet the conditions."""
    span = view.asked.cue("average")
    return _aggregated(view, "average", span) if span else None


def _aggregated(view: View, operation: Operation, span: tuple[int, int]) -> Reading | None:
    target = find_target(view, numbers=True)
    if target is None or target.how in ("key", "kind") or view.columns[target.column].kind != "number":
        return None
    column = view.columns[target.column]
    if operation == "average" and about(column, ("averag", "mean", "平均")):
        return None  # it is one already
    conditions = [c for c in view.conditions if c.column != column.index or c.relation is not None]
    rows = _counted(view, conditions)
    rows = rows[~np.isnan(column.values[rows])]
    if rows.size < 2:  # one row is a look-up
        return None
    after = max(view.units_in(*span), default=-9)
    values = column.values[rows]
    value = float(values.sum() if operation == "sum" else values.mean())
    en, zh = ("sum", "总和") if operation == "sum" else ("average", "平均值")
    return Reading(
        operation,
        amount(column, value),
        tuple(rows.tolist()),
        (column.index, *dict.fromkeys(c.column for c in conditions)),
        described(
            view, f"{en} of {{column}}{{where}}", f"{{where}}{{column}}的{zh}", conditions, column=column
        ),
        units_of(conditions, target.units, view.units_in(*span)),
        signs_of(
            target,
            conditions,
            **{
                "said so": float(view.asked.cue("sum") is not None or operation == "average"),
                "name says it": float(about(column, ("total", "总", "合计"))),
                "named at once": float(bool(target.units) and 0 <= min(target.units) - after <= 2),
                "rank": float(column.is_rank),
            },
        ),
    )

"""Rows found by their place or from another row: after or before it, nearest to a date, the same, the top three."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from caveat.answerers.tables.interpretation import (
    Interpretation,
    Target,
    cells_of,
    described,
    features_of,
    find_target,
    targets,
    tokens_of,
)
from caveat.answerers.tables.lexicon import Superlative
from caveat.answerers.tables.ordering import columns_compared, is_largest
from caveat.answerers.tables.question import SuperlativeSpan
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


_LAST = ("bottom", "last", "后")


def top(view: View) -> Iterator[Interpretation]:
    """The rows in which a column is largest or smallest, so many of them, in their order."""
    said = view.parsed.top
    if said is None:
        return
    number, span = said
    found = view.superlative
    if found is None or found.meaning.about == ():
        last = view.parsed.text[slice(*span)].startswith(_LAST)
        found = found or SuperlativeSpan(Superlative(not last), *span)
    for column, tokens, how in columns_compared(view, found):
        conditions = [c for c in view.conditions if c.column != column.index or c.relation is not None]
        conditions = [c for c in conditions if not c.tokens <= view.tokens_in(*span)]
        rows = np.flatnonzero(view.rows_of(conditions) & ~view.totals & ~np.isnan(column.values))
        if rows.size < number:
            continue
        largest = is_largest(found, column)
        values = column.values[rows]
        order = np.argsort(-values if largest else values, kind="stable")[:number]
        best = [int(row) for row in rows[order]]
        for target in targets(view, {column.index}, taken=tokens):
            en, zh = ("largest", "最大") if largest else ("smallest", "最小")
            yield Interpretation(
                "top",
                cells_of(view, target.column, best),
                tuple(best),
                (target.column, column.index),
                described(
                    view,
                    f"{{target}} of the {number} rows with the {en} {{column}}{{where}}",
                    f"{{where}}{{column}}{zh}的{number}行的{{target}}",
                    conditions,
                    target=view.columns[target.column],
                    column=column,
                ),
                tokens_of(
                    conditions,
                    tokens,
                    target.tokens,
                    view.tokens_in(*span),
                    view.tokens_in(found.start, found.end),
                ),
                features_of(target, conditions, **{f"column by {how}": 1.0}),
            )


def same(view: View) -> Iterator[Interpretation]:
    """The other rows that have the same in a column as the row that the question names."""
    span = view.parsed.cue("same")
    conditions = [c for c in view.conditions if c.relation is None and not c.excluded]
    rows = np.flatnonzero(view.rows_of(conditions) & ~view.totals)
    if span is None or not conditions or rows.size == 0:
        return
    after = max(view.tokens_in(*span), default=0)
    links = [
        link
        for link in view.named(("text", "date", "number"), after=after)
        if link.start <= after + 4 and link.column not in {c.column for c in conditions}
    ]
    if not links:
        return
    column = view.columns[links[0].column]
    values = {column.cell(int(row)) for row in rows}
    if len(values) != 1 or is_blank(value := values.pop()):
        return
    others = [row for row, cell in enumerate(column.cells) if cell == value and row not in set(rows.tolist())]
    if not others or len(others) > 20:
        return
    target = conditions[0].column
    yield Interpretation(
        "same",
        cells_of(view, target, others),
        tuple(others),
        (target, column.index),
        described(
            view,
            "{target} of the other rows with the same {column} as the one{where}",
            "与{where}那一行{column}相同的其他{target}",
            conditions,
            target=view.columns[target],
            column=column,
        ),
        tokens_of(conditions, view.tokens_in(*span), frozenset(range(links[0].start, links[0].end))),
        features_of(None, conditions, **{"several rows": float(len(others) > 1)}),
    )

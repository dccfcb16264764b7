"""Comparisons of two rows that a question names: how far apart they are, which has more, which is right."""

from __future__ import annotations

import re

import numpy as np

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.describe import amount, described
from caveat.answerers.tables.interpretation import Interpretation, cells_of, features_of, tokens_of
from caveat.answerers.tables.ordering import choose_column, is_largest
from caveat.answerers.tables.selection import Condition, View
from caveat.language.quantities import is_blank

__all__ = ["choice", "difference", "either", "same"]

# "Did A win more or less than B" is answered by one of the two words.
_EITHER = re.compile(
    r"\b(?:more|above|better|higher|greater|larger)(?: or |/)(?:less|fewer|below|worse|lower|smaller)\b"
)


def _pair(view: View) -> tuple[Condition, Condition, list[Condition]] | None:
    """Two texts of one column that the question names, and the conditions on other columns."""
    texts = [c for c in view.conditions if c.relation is None and not c.excluded]
    for first in texts:
        others = [c for c in texts if c is not first and c.column == first.column]
        if len(others) == 1:
            two = sorted((first, others[0]), key=lambda c: min(c.tokens))
            return two[0], two[1], [c for c in view.conditions if c.column != first.column]
    return None


def difference(view: View) -> Interpretation | None:
    """How far the values of two rows are apart."""
    span = view.parsed.cue("difference")
    pair = _pair(view)
    if span is None or pair is None:
        return None
    first, second, rest = pair
    column, tokens, how = _compared_column(view, first.column)
    if column is None:
        return None
    common = view.rows_of(rest) & ~view.totals & ~np.isnan(column.values)
    rows = [np.flatnonzero(condition.rows & common) for condition in (first, second)]
    if not all(part.size for part in rows):
        return None
    one, two = (float(column.values[part].sum()) for part in rows)
    single = all(part.size == 1 for part in rows)
    if column.kind == "date":
        if not single:
            return None
        one, two = one // 10_000, two // 10_000
    return Interpretation(
        "difference",
        amount(column, abs(one - two)),
        tuple(int(row) for part in rows for row in part),
        (column.index, first.column),
        described(
            view,
            "difference of {column} between {first} and {second}{where}",
            "{where}{first}与{second}的{column}之差",
            rest,
            column=column,
            first=first.value,
            second=second.value,
        ),
        tokens_of([first, second, *rest], tokens, view.tokens_in(*span)),
        features_of(None, [first, second], **{f"column by {how}": 1.0, "several rows": float(not single)}),
    )


def _compared_column(view: View, other: int) -> tuple[Column | None, frozenset[int], str]:
    found = view.superlative or view.parsed.comparative
    if found is not None and (chosen := choose_column(view, found)) is not None and chosen[0].index != other:
        return chosen
    links = [link for link in view.named(("number", "date")) if link.column != other]
    if links:
        how = "synonym" if links[0].synonym else "name"
        return view.columns[links[0].column], frozenset(range(links[0].start, links[0].end)), how
    numbers = [column for column in view.of_kind("number") if column.index != other]
    return (numbers[0], frozenset(), "only") if len(numbers) == 1 else (None, frozenset(), "")


def choice(view: View) -> Interpretation | None:
    """Which of two that the question names has more, less, came first …"""
    parsed = view.parsed
    pair = _pair(view)
    found = view.superlative or parsed.comparative
    if pair is None or (found is None and parsed.order is None) or parsed.cue("difference"):
        return None
    if _EITHER.search(parsed.text):
        return None
    first, second, rest = pair
    common = view.rows_of(rest) & ~view.totals
    rows = [np.flatnonzero(condition.rows & common) for condition in (first, second)]
    if not all(part.size for part in rows):
        return None
    several = any(part.size > 1 for part in rows)
    tokens: frozenset[int] = frozenset()
    if found is not None:
        column, tokens, how = _compared_column(view, first.column)
        if several and how not in ("name", "synonym"):
            column = None  # more rows, then
        largest = is_largest(found, column) if column is not None else found.meaning.largest
        span = (found.start, found.end)
    else:
        dates = [c for c in view.columns if c.kind == "date" and c.index != first.column]
        column, how = (dates[0], "hint") if dates else (None, "order")
        largest, span = parsed.order if parsed.order else (False, (0, 0))
    if column is None and how == "order":
        one, two = float(rows[0][0]), float(rows[1][0])
    elif column is None:
        one, two, how = float(rows[0].size), float(rows[1].size), "count"
    else:
        one, two = (float(np.nansum(column.values[part])) for part in rows)
    if one == two:
        return None
    winner, part = (first, rows[0]) if (one > two) == largest else (second, rows[1])
    en, zh = ("larger", "更大") if largest else ("smaller", "更小")
    name = view.columns[first.column]
    what = "count" if column is None else column.name
    return Interpretation(
        "choice",
        cells_of(view, winner.column, [int(part[0])]),
        tuple(int(row) for some in rows for row in some),
        tuple(dict.fromkeys((first.column, *([column.index] if column is not None else [])))),
        described(
            view,
            f"{{name}} with the {en} {{what}}: {{first}} or {{second}}{{where}}",
            f"{{where}}{{first}}与{{second}}中{{what}}{zh}的{{name}}",
            rest,
            name=name,
            what=what,
            first=first.value,
            second=second.value,
        ),
        tokens_of([first, second, *rest], tokens, view.tokens_in(*span)),
        features_of(None, [first, second], **{f"column by {how}": 1.0, "several rows": float(several)}),
    )


def either(view: View) -> Interpretation | None:
    """Which of two texts stands in the row that the rest of the question names: "was it in 1998 or in 1994"."""
    pair = _pair(view)
    if pair is None or view.parsed.cue("or") is None:
        return None
    first, second, rest = pair
    rows = np.flatnonzero(view.rows_of(rest) & ~view.totals)
    right = [condition for condition in (first, second) if rest and condition.rows[rows].all()]
    if rows.size == 0 or len(right) != 1:
        return None
    column = view.columns[first.column]
    return Interpretation(
        "either",
        cells_of(view, column.index, rows.tolist()),
        tuple(rows.tolist()),
        (column.index, *dict.fromkeys(c.column for c in rest)),
        described(
            view,
            "{column}{where}: {first} or {second}",
            "{where}{column}是{first}还是{second}",
            rest,
            column=column,
            first=first.value,
            second=second.value,
        ),
        tokens_of([first, second, *rest]),
        features_of(None, [first, second, *rest], **{"several rows": float(rows.size > 1)}),
    )


def same(view: View) -> Interpretation | None:
    """The other rows that have the same in a column as the row that the question names."""
    span = view.parsed.cue("same")
    conditions = [c for c in view.conditions if c.relation is None and not c.excluded]
    rows = np.flatnonzero(view.rows_of(conditions) & ~view.totals)
    if span is None or not conditions or rows.size == 0:
        return None
    after = max(view.tokens_in(*span), default=0)
    links = [
        link
        for link in view.named(("text", "date", "number"), after=after)
        if link.start <= after + 4 and link.column not in {c.column for c in conditions}
    ]
    if not links:
        return None
    column = view.columns[links[0].column]
    values = {column.cell(int(row)) for row in rows}
    if len(values) != 1 or is_blank(value := values.pop()):
        return None
    others = [row for row, cell in enumerate(column.cells) if cell == value and row not in set(rows.tolist())]
    if not others or len(others) > 20:
        return None
    target = conditions[0].column
    return Interpretation(
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

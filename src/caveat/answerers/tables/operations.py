"""Look-ups and aggregates: the cells of the rows that a question names, their number, sum or average."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from caveat.answerers.tables.describe import amount, described
from caveat.answerers.tables.interpretation import (
    Interpretation,
    Operation,
    Target,
    cells_of,
    features_of,
    find_target,
    tokens_of,
    wants_number,
)
from caveat.answerers.tables.lexicon import lexicon
from caveat.answerers.tables.selection import Condition, View
from caveat.language.quantities import is_blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["average", "count", "lacks_column", "look_up", "total"]

_MOST_ROWS = 30
# More than one row is asked for.
_LIST = re.compile(
    r"哪些|有哪|分别|\b(?:list|name (?:all|each|every)|(?:who|what|which) (?:are|were)|which (?:\w+ )?\w+[^\Ws]s)\b"
)


# What is asked for stands before or after what has it.
_OF_BEFORE = re.compile(r"^(?:who|what)(?: is|'s| was| are| were) the (?:[\w-]+ ){1,3}of (?:the )?$")
_OF_AFTER = re.compile(r"的[^\W\d_]{1,6}(?:是|为|叫)(?:谁|什么|多少|哪)")


def look_up(view: View) -> Interpretation | None:
    """The cells of the column asked for, in the rows that meet the conditions."""
    conditions = view.conditions
    if not conditions:
        return None
    chosen = view.rows_of(conditions)
    if (chosen & ~view.totals).any():
        chosen &= ~view.totals
    rows = np.flatnonzero(chosen).tolist()
    numbers = wants_number(view)
    target = _target(view, numbers=numbers)
    if target is None or not 0 < len(rows) <= _MOST_ROWS or lacks_column(view):
        return None
    column = view.columns[target.column]
    if all(is_blank(column.cell(row)) for row in rows):
        return None
    several = len(rows) > 1
    return Interpretation(
        "look-up",
        cells_of(view, target.column, rows),
        tuple(rows),
        (target.column, *dict.fromkeys(c.column for c in conditions)),
        described(view, "{column}{where}", "{where}{column}", conditions, column=column),
        tokens_of(conditions, target.tokens),
        features_of(
            target,
            conditions,
            **{
                "several rows": float(several),
                "list wanted": float(several and _LIST.search(view.parsed.text) is not None),
                "number wanted": float(numbers),
                "number found": float(numbers and column.kind == "number"),
                "compared": float(any(c.relation is not None for c in conditions)),
            },
        ),
    )


def _target(view: View, *, numbers: bool) -> Target | None:
    return find_target(view, {c.column for c in view.conditions if not c.excluded}, numbers=numbers)


def lacks_column(view: View) -> bool:
    """Whether what is asked for of a row has no column: "the owner of the Blue Mill", 蓝磨坊的主人."""
    target = _target(view, numbers=wants_number(view)) if view.conditions else None
    if target is None or target.how != "key":
        return False
    text, tokens = view.parsed.text, view.parsed.tokens
    for condition in view.conditions:
        if condition.relation is None and condition.tokens:
            start, end = tokens[min(condition.tokens)].start, tokens[max(condition.tokens)].end
            if (_OF_BEFORE.search(text, 0, start) or _OF_AFTER.match(text, end)) and not any(
                # Where rows are facts, what is asked for is a cell: "Blue Mill | owner | Ada".
                other.tokens
                for other in view.conditions
                if other is not condition
            ):
                return True
    return False


def _counted(view: View, conditions: list[Condition]) -> NDArray[np.intp]:
    return np.flatnonzero(view.rows_of(conditions) & ~view.totals)


def count(view: View) -> Interpretation | None:
    """How many rows meet the conditions, or how many different texts stand in them."""
    span = view.parsed.cue("count")
    if span is None:
        return None
    conditions = view.conditions
    rows = _counted(view, conditions)
    different = view.parsed.cue("different")
    after = max(view.tokens_in(*span), default=0)
    near = [
        link
        for link in view.named(("text", "date", "number"), after=after)
        if link.start <= after + 4
        and lexicon().auxiliaries.isdisjoint(token.stem for token in view.parsed.tokens[after : link.start])
    ]
    numeric = any(view.columns[link.column].kind == "number" for link in near)
    texts = [link for link in near if view.columns[link.column].kind != "number"]
    if view.parsed.cue("sum") and any(
        link.start == after + 1 and not link.synonym and view.columns[link.column].kind == "number"
        for link in near
    ):
        return None  # the total number of branches, where a column has their numbers
    tokens = tokens_of(conditions, view.tokens_in(*span))
    if texts:
        tokens |= frozenset(range(texts[0].start, texts[0].end))
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
    return Interpretation(
        "count",
        str(number),
        tuple(rows.tolist()),
        tuple(dict.fromkeys((*(c.column for c in conditions), *([column.index] if texts else [])))),
        description,
        tokens | (view.tokens_in(*different) if different else frozenset()),
        features_of(
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


def total(view: View) -> Interpretation | None:
    """The sum of a column over the rows that meet the conditions."""
    span = view.parsed.cue("sum") or view.parsed.cue("count")
    return _aggregated(view, "sum", span) if span else None


def average(view: View) -> Interpretation | None:
    """The mean of a column over the rows that meet the conditions."""
    span = view.parsed.cue("average")
    return _aggregated(view, "average", span) if span else None


def _aggregated(view: View, operation: Operation, span: tuple[int, int]) -> Interpretation | None:
    target = find_target(view, numbers=True)
    if target is None or target.how in ("key", "kind") or view.columns[target.column].kind != "number":
        return None
    column = view.columns[target.column]
    if operation == "average" and column.is_about("averages"):
        return None  # it is one already
    conditions = [c for c in view.conditions if c.column != column.index or c.relation is not None]
    rows = _counted(view, conditions)
    rows = rows[~np.isnan(column.values[rows])]
    if rows.size < 2:  # one row is a look-up
        return None
    after = max(view.tokens_in(*span), default=-9)
    values = column.values[rows]
    value = float(values.sum() if operation == "sum" else values.mean())
    en, zh = ("sum", "总和") if operation == "sum" else ("average", "平均值")
    return Interpretation(
        operation,
        amount(column, value),
        tuple(rows.tolist()),
        (column.index, *dict.fromkeys(c.column for c in conditions)),
        described(
            view, f"{en} of {{column}}{{where}}", f"{{where}}{{column}}的{zh}", conditions, column=column
        ),
        tokens_of(conditions, target.tokens, view.tokens_in(*span)),
        features_of(
            target,
            conditions,
            **{
                "said so": float(view.parsed.cue("sum") is not None or operation == "average"),
                "name says it": float(column.is_about("totals")),
                "named at once": float(bool(target.tokens) and 0 <= min(target.tokens) - after <= 2),
                "rank": float(column.is_rank),
            },
        ),
    )

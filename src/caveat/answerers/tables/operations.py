"""Look-ups and aggregates: the cells of the rows that a question names, their number, sum or average."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.interpretation import (
    Interpretation,
    Operation,
    Target,
    amount,
    cells_of,
    described,
    features_of,
    find_target,
    readable,
    targets,
    tokens_of,
    wants_number,
)
from caveat.answerers.tables.lexicon import lexicon
from caveat.answerers.tables.linking import HeaderLink
from caveat.answerers.tables.selection import Condition, View
from caveat.answerers.tables.tokens import stems_of
from caveat.language.quantities import is_blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_ROWS = 200
_PLACES_OF_MEANS = 2
# Of a column that has its texts again and again, those are counted that are different.
_REPEATED = 0.5
# A cell is said by a question that has this share of its words.
_MOSTLY = 0.5
# More than one row is asked for.
_LIST = re.compile(
    r"哪些|有哪|分别|\b(?:list|name (?:all|each|every)|(?:who|what|which) (?:are|were)|which (?:\w+ )?\w+[^\Ws]s)\b"
)


# What is asked for stands before or after what has it.
_OF_BEFORE = re.compile(r"^(?:who|what)(?: is|'s| was| are| were) the (?:[\w-]+ ){1,3}of (?:the )?$")
_OF_AFTER = re.compile(r"的[^\W\d_]{1,6}(?:是|为|叫)(?:谁|什么|多少|哪)")


def look_up(view: View) -> Iterator[Interpretation]:
    """The cells of the column asked for, in the rows that meet the conditions."""
    conditions = view.conditions
    if not conditions:
        return
    chosen = view.rows_of(conditions)
    if (chosen & ~view.totals).any():
        chosen &= ~view.totals
    rows = np.flatnonzero(chosen).tolist()
    if not 0 < len(rows) <= _MOST_ROWS or lacks_column(view):
        return
    numbers = wants_number(view)
    others = view.parsed.cue("other") is not None
    for target in targets(view, _used(view), numbers=numbers):
        column = view.columns[target.column]
        if all(is_blank(column.cell(row)) for row in rows):
            continue
        yield _looked_up(view, conditions, rows, target, numbers)
        if others and len(rows) > 1:
            unsaid = [row for row in rows if not _is_said(view, column.cell(row))]
            if 0 < len(unsaid) < len(rows):
                found = _looked_up(view, conditions, unsaid, target, numbers)
                yield found._replace(features=found.features | {"but those said": 1.0})


def _is_said(view: View, text: str) -> bool:
    """Whether the question itself has the words of a cell: "besides 2001, in what other year"."""
    words = set(stems_of(text))
    said = {token.stem for token in view.parsed.tokens}
    return bool(words) and len(words & said) >= _MOSTLY * len(words)


def _looked_up(
    view: View, conditions: list[Condition], rows: list[int], target: Target, numbers: bool
) -> Interpretation:
    column = view.columns[target.column]
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
                "number found": float(numbers and (column.kind == "number" or column.is_coded)),
                "compared": float(any(c.relation is not None for c in conditions)),
            },
        ),
    )


def _used(view: View) -> set[int]:
    return {c.column for c in view.conditions if not c.excluded}


def lacks_column(view: View) -> bool:
    """Whether what is asked for of a row has no column: "the owner of the Blue Mill", 蓝磨坊的主人."""
    target = find_target(view, _used(view), numbers=wants_number(view)) if view.conditions else None
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


def count(view: View) -> Iterator[Interpretation]:
    """How many rows meet the conditions, how many of them say something in a column, how many different texts."""
    span = view.parsed.cue("count")
    if span is None or not view.columns:
        return
    after = max(view.tokens_in(*span), default=0)
    near = [
        link
        for link in view.named(("text", "date", "number"), after=after)
        if link.start <= after + 4
        and lexicon().auxiliaries.isdisjoint(token.stem for token in view.parsed.tokens[after : link.start])
    ]
    if view.parsed.cue("sum") and any(
        link.start == after + 1 and not link.synonym and view.columns[link.column].kind == "number"
        for link in near
    ):
        return  # the total number of branches, where a column has their numbers
    texts = [link for link in near if view.columns[link.column].kind != "number"]
    numeric = len(texts) < len(near)
    said = view.parsed.cue("different") is not None
    # "How many Xs": the column X is counted where it says something.
    for link in (*texts[:1], None):
        column = view.columns[link.column if link else view.key]
        for different in (said, not said):
            yield _count_of(view, span, column, link, different=different, numeric=numeric)


def _count_of(
    view: View,
    span: tuple[int, int],
    column: Column,
    named: HeaderLink | None,
    *,
    different: bool,
    numeric: bool,
) -> Interpretation:
    conditions = view.conditions
    rows = _counted(view, conditions)
    said = view.parsed.cue("different")
    filled = [row for row in rows.tolist() if not is_blank(column.cell(row))]
    if named:
        rows = np.array(filled, dtype=np.intp)
    number = len({column.cell(row) for row in filled}) if different else rows.size
    description = (
        described(
            view, "count of different {column}{where}", "{where}不同{column}的个数", conditions, column=column
        )
        if different
        else described(view, "count of rows{where}", "{where}行数", conditions)
    )
    tokens = tokens_of(conditions, view.tokens_in(*span))
    if named:
        tokens |= frozenset(range(named.start, named.end))
    if different and said:
        tokens |= view.tokens_in(*said)
    return Interpretation(
        "count",
        readable(number),
        tuple(rows.tolist()),
        tuple(
            dict.fromkeys((*(c.column for c in conditions), *([column.index] if named or different else [])))
        ),
        description,
        tokens,
        features_of(
            None,
            conditions,
            **{
                "number column named": float(numeric),
                "noun named": float(named is not None),
                "different": float(different),
                "different: not said": float(different and said is None),
                "different: not done": float(not different and said is not None),
                "named repeats": float(named is not None and column.distinct < _REPEATED),
                "different, named repeats": float(
                    different and named is not None and column.distinct < _REPEATED
                ),
                "nothing counted": float(number == 0),
                "one row": float(number == 1),
                "compared": float(any(c.relation is not None for c in conditions)),
            },
        ),
        float(number),
    )


def total(view: View) -> Iterator[Interpretation]:
    """The sum of a column over the rows that meet the conditions."""
    span = view.parsed.cue("sum") or view.parsed.cue("count")
    return _aggregates(view, "sum", span) if span else iter(())


def average(view: View) -> Iterator[Interpretation]:
    """The mean of a column over the rows that meet the conditions."""
    span = view.parsed.cue("average")
    return _aggregates(view, "average", span) if span else iter(())


def _aggregates(view: View, operation: Operation, span: tuple[int, int]) -> Iterator[Interpretation]:
    for target in targets(view, numbers=True):
        if target.how in ("key", "kind") or view.columns[target.column].kind != "number":
            continue
        if (found := _aggregated(view, operation, span, target)) is not None:
            yield found


def _aggregated(
    view: View, operation: Operation, span: tuple[int, int], target: Target
) -> Interpretation | None:
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
        amount(column, value, places=_PLACES_OF_MEANS if operation == "average" else 0),
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
        value,
    )

"""How long: the years between two dates of a row, or from the first row to the last; and how many rows in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.describe import described
from caveat.answerers.tables.interpretation import Interpretation, features_of, tokens_of
from caveat.answerers.tables.selection import View

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ASKED = re.compile(
    r"\bhow long\b|\b(?:how many|number of) years\b|\byears? (?:between|later|after|apart)\b|多久|多长时间|多少年"
)
_YEARS = re.compile(r"(?<!\d)((?:1[0-9]|20)\d\d)\s*(?:[-–—/~]|to|至|到)\s*((?:1[0-9]|20)\d\d)(?!\d)")


def duration(view: View) -> Iterator[Interpretation]:
    """The years that a row says it lasted, or that lie between its dates or those of several rows."""
    found = _ASKED.search(view.parsed.text)
    if found is None:
        return
    rows = np.flatnonzero(view.rows_of(view.conditions) & ~view.totals)
    dates = [column for column in view.columns if column.kind == "date"]
    if rows.size == 1 and view.conditions:
        row = int(rows[0])
        for column in view.columns:
            if span := _YEARS.search(column.cell(row)):
                yield _years(view, found.span(), int(span[2]) - int(span[1]), (column,), rows, "in a cell")
        for begin, end in pairwise(dates):
            yield from _between(view, found.span(), (begin, end), rows, begin.values[row], end.values[row])
    if rows.size > 1:
        for column in dates[:2]:
            values = column.values[rows]
            if not np.isnan(values).any():
                yield from _between(view, found.span(), (column,), rows, values.min(), values.max())


def _between(
    view: View,
    span: tuple[int, int],
    columns: tuple[Column, ...],
    rows: NDArray[np.intp],
    begin: float,
    end: float,
) -> Iterator[Interpretation]:
    if not np.isnan(begin) and not np.isnan(end) and begin >= 10_000 and end > begin:
        how = "between columns" if len(columns) == 2 else "between rows"
        yield _years(view, span, int(end // 10_000 - begin // 10_000), columns, rows, how)


def _years(
    view: View,
    span: tuple[int, int],
    years: int,
    columns: tuple[Column, ...],
    rows: NDArray[np.intp],
    how: str,
) -> Interpretation:
    if len(columns) == 2:
        en, zh = "years from {column} to {other}{where}", "{where}从{column}到{other}的年数"
    elif how == "in a cell":
        en, zh = "years of {column}{where}", "{where}{column}的年数"
    else:
        en, zh = "years from the first {column} to the last{where}", "{where}最早与最晚{column}相隔的年数"
    return Interpretation(
        "duration",
        str(years),
        tuple(rows.tolist()),
        tuple(dict.fromkeys((*(c.index for c in columns), *(c.column for c in view.conditions)))),
        described(view, en, zh, view.conditions, column=columns[0], other=columns[-1]),
        tokens_of(view.conditions, view.tokens_in(*span)),
        features_of(None, view.conditions, **{f"years {how}": 1.0}),
    )


def streak(view: View) -> Iterator[Interpretation]:
    """The longest run of rows that meet the conditions."""
    span = view.parsed.cue("in a row")
    if span is None or not view.conditions:
        return
    chosen = view.rows_of(view.conditions) & ~view.totals
    # Where runs begin and end: the places at which what is chosen changes.
    edges = np.flatnonzero(np.diff(np.concatenate(([False], chosen, [False])).astype(np.int8)))
    if not edges.size:
        return
    begins, ends = edges[::2], edges[1::2]
    longest = int((ends - begins).argmax())
    rows = range(int(begins[longest]), int(ends[longest]))
    yield Interpretation(
        "streak",
        str(len(rows)),
        tuple(rows),
        tuple(dict.fromkeys(c.column for c in view.conditions)),
        described(view, "longest run of rows{where}", "{where}最长连续行数", view.conditions),
        tokens_of(view.conditions, view.tokens_in(*span)),
        features_of(None, view.conditions, **{"one row": float(len(rows) == 1)}),
    )

"""Columns against each other in one row, and how long something lasted: years between two dates, rows in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.interpretation import Interpretation, amount, described, features_of, tokens_of
from caveat.answerers.tables.linking import HeaderLink
from caveat.answerers.tables.ordering import is_largest
from caveat.answerers.tables.selection import View

if TYPE_CHECKING:
    from numpy.typing import NDArray


# The pairs of columns that are looked at.
_MOST_PAIRS = 6


def across(view: View) -> Iterator[Interpretation]:
    """The difference of two columns that the question names, the name of the larger, or yes or no."""
    parsed = view.parsed
    asked = parsed.cue("difference") or parsed.cue("or") or parsed.cue("yes or no") or parsed.change
    if not (asked or parsed.comparative) or not view.conditions:
        return
    rows = np.flatnonzero(view.rows_of(view.conditions))
    if rows.size != 1:
        return
    for first, second in islice(_pairs(view), _MOST_PAIRS):
        one, two = (view.columns[link.column] for link in (first, second))
        values = float(one.values[rows[0]]), float(two.values[rows[0]])
        if not np.isnan(values).any():
            yield from _compared(view, int(rows[0]), (first, second), (one, two), values)


def _pairs(view: View) -> Iterator[tuple[HeaderLink, HeaderLink]]:
    """Columns of numbers that are named one after the other, the surest first; neither in the words of the other."""
    links = sorted(view.named(("number",)), key=lambda link: (link.synonym, -link.share, link.start))
    for place, first in enumerate(links):
        for second in links[place + 1 :]:
            one, two = _place(view, first), _place(view, second)
            if first.column != second.column and one != two:
                yield (first, second) if one < two else (second, first)


def _place(view: View, link: HeaderLink) -> int:
    """Where a column is named, by its number if it has one: "GDP from 1952 to 2007" names two."""
    numbers = {word for word in view.prepared.headers[link.column] if word.isdecimal()}
    places = [at for at, token in enumerate(view.parsed.tokens) if token.stem in numbers]
    return places[0] if places else link.start


def _compared(
    view: View,
    row: int,
    links: tuple[HeaderLink, HeaderLink],
    columns: tuple[Column, Column],
    values: tuple[float, float],
) -> Iterator[Interpretation]:
    parsed = view.parsed
    found = parsed.comparative or view.superlative
    one, two = values
    if parsed.cue("difference"):
        text = amount(columns[0], abs(one - two))
        yield _interpretation(view, row, links, columns, text, "differ")._replace(number=abs(one - two))
    elif parsed.cue("yes or no"):
        if found is not None:
            holds = (one > two) if is_largest(found, columns[0]) else (one < two)
        elif parsed.change is not None:
            holds = (two > one) if parsed.change[0] else (two < one)
        else:
            return
        yield _interpretation(view, row, links, columns, view.verdict(holds), "verdict")
    elif found is not None and one != two:
        winner = columns[0] if (one > two) == is_largest(found, columns[0]) else columns[1]
        yield _interpretation(view, row, links, columns, winner.name, "choice")


def _interpretation(
    view: View,
    row: int,
    links: tuple[HeaderLink, HeaderLink],
    columns: tuple[Column, Column],
    text: str,
    how: str,
) -> Interpretation:
    parsed = view.parsed
    cue = parsed.cue("difference") or (parsed.change[1] if parsed.change else None)
    found = parsed.comparative or view.superlative
    tokens = frozenset().union(*(range(link.start, link.end) for link in links))
    if cue:
        tokens |= view.tokens_in(*cue)
    if found is not None:
        tokens |= view.tokens_in(found.start, found.end)
    en, zh = "{one} compared with {two}{where}", "{where}{one}与{two}之比较"
    if how == "differ":
        en, zh = "difference of {one} and {two}{where}", "{where}{one}与{two}之差"
    return Interpretation(
        "across",
        text,
        (row,),
        tuple(column.index for column in columns),
        described(view, en, zh, view.conditions, one=columns[0], two=columns[1]),
        tokens_of(view.conditions, tokens),
        features_of(
            None,
            view.conditions,
            **{
                f"across: {how}": 1.0,
                "both by name": float(not any(link.synonym for link in links)),
                "share of names": sum(link.share for link in links) / 2,
            },
        ),
    )


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

"""Columns against each other in one row: how far apart they are, which is larger, whether one is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.describe import amount, described
from caveat.answerers.tables.interpretation import Interpretation, features_of, tokens_of
from caveat.answerers.tables.linking import HeaderLink
from caveat.answerers.tables.ordering import is_largest
from caveat.answerers.tables.selection import View

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

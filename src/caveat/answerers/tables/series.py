"""What is computed along one row whose columns are years, quarters or months: average, sum, largest, change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.interpretation import (
    Interpretation,
    amount,
    described,
    features_of,
    tokens_of,
)
from caveat.answerers.tables.selection import View
from caveat.language.dates import MONTHS

_YEAR, _QUARTER = re.compile(r"1[5-9]\d\d|20\d\d"), re.compile(r"q[1-4]")
# Averages have this many places more than their cells.
_PLACES = 2


class _Period(NamedTuple):
    """A column and the year, quarter or month that it is of: what it is called, and its place in time."""

    place: int
    label: str
    column: Column


def series(view: View) -> Iterator[Interpretation]:
    """The average, the sum, the largest or the change along the one row that the question names."""
    parsed = view.parsed
    if not view.conditions or view.is_wide:
        return
    rows = np.flatnonzero(view.rows_of(view.conditions))
    if rows.size != 1:
        return
    row = int(rows[0])
    for periods in _series(view, row):
        said = _said(view, periods)
        if span := parsed.cue("average"):
            yield _computed(view, row, _range(said, periods), "average", view.tokens_in(*span))
        if (span := parsed.cue("sum")) and not view.tokens_in(*span) <= tokens_of(view.conditions):
            yield _computed(view, row, _range(said, periods), "sum", view.tokens_in(*span))
        if len(said) == 2 and (cue := parsed.cue("difference") or parsed.cue("ratio or change")):
            yield _changed(view, row, said, view.tokens_in(*cue))
        if found := view.superlative or parsed.comparative:
            tokens = view.tokens_in(found.start, found.end)
            yield from _largest(view, row, _range(said, periods), found.meaning.largest, tokens)


def _series(view: View, row: int) -> Iterator[list[_Period]]:
    """Columns of numbers whose names differ by a period alone, in the order of time; a cell of this row in each."""
    groups: dict[tuple[str, ...], list[_Period]] = {}
    for column in view.columns:
        header = view.prepared.headers[column.index]
        for word in header:
            place = _place(word)
            if place is not None and not np.isnan(column.values[row] if column.kind == "number" else np.nan):
                rest = tuple(other for other in header if other != word)
                label = word if word.isdecimal() or len(header) > 1 else column.name
                groups.setdefault(rest, []).append(_Period(place, label, column))
                break
    named = {link.column for link in view.headers}
    several = [sorted(group) for group in groups.values() if len(group) > 1]
    return iter(
        [group for group in several if any(one.column.index in named for one in group)] or several[:1]
    )


def _place(word: str) -> int | None:
    if _YEAR.fullmatch(word):
        return int(word)
    if _QUARTER.fullmatch(word):
        return int(word[1])
    return MONTHS.get(word)


def _said(view: View, periods: list[_Period]) -> list[_Period]:
    """The periods that the question names."""
    words = {token.stem for token in view.parsed.tokens}
    return [period for period in periods if words & {period.label, period.label.lower()}]


def _range(said: list[_Period], periods: list[_Period]) -> list[_Period]:
    """Those between the first and the last that are named; without any, all."""
    if len(said) < 2:
        return periods
    return [period for period in periods if said[0].place <= period.place <= said[-1].place]


def _computed(
    view: View, row: int, periods: list[_Period], how: str, tokens: frozenset[int]
) -> Interpretation:
    values = np.array([period.column.values[row] for period in periods])
    column = periods[0].column
    number = float(values.mean() if how == "average" else values.sum())
    zh = "平均值" if how == "average" else "总和"
    places = max(_PLACES, column.places) if how == "average" else column.places
    text = amount(column, number, places=places)
    return _interpretation(view, row, periods, text, tokens, how, (f"{how} of", zh))._replace(number=number)


def _changed(view: View, row: int, said: list[_Period], tokens: frozenset[int]) -> Interpretation:
    """What the later of two periods has more than the earlier; as a share of that, where a percentage is wanted."""
    earlier, later = (float(period.column.values[row]) for period in said)
    relative = view.wants_share and earlier != 0
    number = 100 * (later - earlier) / abs(earlier) if relative else later - earlier
    if view.parsed.cue("difference"):
        number = abs(number)
    text = f"{round(number, _PLACES):g}%" if relative else amount(said[0].column, number)
    how = "relative change" if relative else "change"
    words = ("change in percent of", "变化百分比") if relative else ("change of", "变化")
    return _interpretation(view, row, said, text, tokens, how, words)._replace(number=number)


def _largest(
    view: View, row: int, periods: list[_Period], largest: bool, tokens: frozenset[int]
) -> Iterator[Interpretation]:
    values = np.array([period.column.values[row] for period in periods])
    best = periods[int(values.argmax() if largest else values.argmin())]
    asking = view.parsed.cue("when")
    en, zh = ("largest", "最大") if largest else ("smallest", "最小")
    if asking:
        tokens |= view.tokens_in(*asking)
        words = (f"period of the {en} of", f"{zh}的时期")
        yield _interpretation(view, row, periods, best.label, tokens, "period", words)
    else:
        text = best.column.cell(row)
        yield _interpretation(view, row, periods, text, tokens, "value", (f"{en} of", f"{zh}值"))


def _interpretation(
    view: View,
    row: int,
    periods: list[_Period],
    text: str,
    tokens: frozenset[int],
    how: str,
    words: tuple[str, str],
) -> Interpretation:
    labels = {period.label.lower() for period in periods}
    named = frozenset(at for at, token in enumerate(view.parsed.tokens) if token.stem in labels)
    en, zh = words
    return Interpretation(
        "series",
        text,
        (row,),
        tuple(period.column.index for period in periods),
        described(
            view,
            f"{en} {{first}} to {{last}}{{where}}",
            f"{{where}}{{first}}至{{last}}的{zh}",
            view.conditions,
            first=periods[0].column,
            last=periods[-1].column,
        ),
        tokens_of(view.conditions, tokens, named),
        features_of(
            None,
            view.conditions,
            **{f"series: {how}": 1.0, "periods said": float(bool(named))},
        ),
    )

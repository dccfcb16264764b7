"""Which column a question wants the answer from."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from caveat.answerers.tables.linked import about
from caveat.answerers.tables.links import HeaderLink
from caveat.answerers.tables.stop_words import stems
from caveat.answerers.tables.view import View

__all__ = ["Target", "find_target"]

_PERSONS = stems(
    "name player driver athlete winner candidate rider cyclist swimmer actor actress artist author writer coach "
    "captain director representative member judge competitor wrestler golfer skater president minister manager "
    "incumbent officeholder bearer holder act 姓名 名字 人 作者 导演 球员 选手 校长 负责人 冠军"
)
_PLACES = stems(
    "location venue place city site stadium country town hometown address state region headquarters office "
    "地点 城市 地址 位置 国家 省份 总部 所在地 场馆 地区 产地"
)
_FAR = 7
_NAME = re.compile(r"\bwhat (?:is|was) the name of\b|名称是什么|叫什么")


class Target(NamedTuple):
    """A column, the units that name it, and how it was found: by name, by another word, by its kind, as the key."""

    column: int
    units: frozenset[int]
    how: str


def find_target(
    view: View, used: Collection[int] = (), *, numbers: bool = False, taken: frozenset[int] = frozenset()
) -> Target | None:
    """The column asked for, which is none of those `used`; where `numbers` are wanted, a column of those if any.

    Words that were `taken` as the name of another column are not asked for.
    """
    kinds = _kinds(view)
    links = [
        link
        for link in view.named(kinds)
        if link.column not in used and not taken.issuperset(range(link.start, link.end))
    ]
    wanted = _wanted(view)
    if numbers:
        numeric = [link for link in links if view.columns[link.column].kind == "number"]
        sums = frozenset().union(*(view.units_in(*span) for span in view.sums))
        # "The total gold medals" are those of the column Gold, even where there is a column Total.
        numeric = [link for link in numeric if not sums.issuperset(range(link.start, link.end))] or numeric
        if numeric:
            return _linked(min(numeric, key=lambda link: _distance(link, wanted)))
    if links:
        nearest = min(links, key=lambda link: (_distance(link, wanted), link.column))
        if _distance(nearest, wanted) <= _FAR:
            return _linked(nearest)
    typed = _typed(view, used)
    if typed is not None:
        return typed
    if links:
        return _linked(nearest)
    if view.key not in used:
        return Target(view.key, frozenset(), "key")
    others = [c.index for c in view.columns if c.kind == "text" and c.index not in used and c.distinct > 0.5]
    return Target(others[0], frozenset(), "key") if others else None


def _kinds(view: View) -> tuple[str, ...]:
    """What the answer can be, by the word that asks: "who" is not answered by a date, nor is "the name of"."""
    asked = view.asked
    if (not asked.cue("which") and (asked.cue("who") or asked.cue("where"))) or _NAME.search(asked.text):
        return ("text",)
    return ("text", "date", "number")


def _wanted(view: View) -> list[frozenset[int]]:
    """The units of the words that ask."""
    spans = [view.asked.cue(cue) for cue in ("which", "who", "count", "how much", "when", "where")]
    # Without any ("the team with the most medals"), what comes first is asked for.
    return [units for span in spans if span and (units := view.units_in(*span))] or [frozenset((-1,))]


def _linked(link: HeaderLink) -> Target:
    return Target(link.column, frozenset(range(link.start, link.end)), "synonym" if link.synonym else "name")


def _distance(link: HeaderLink, wanted: list[frozenset[int]]) -> float:
    """How far a name stands from the words that ask; after them is nearer than before."""
    gaps = [
        link.start - max(units) - 1 if link.start > max(units) else 2.0 * (min(units) - link.end) + 2
        for units in wanted
    ]
    return min(gaps, default=0.0) + link.synonym - 0.5 * link.share


def _typed(view: View, used: Collection[int]) -> Target | None:
    asked = view.asked
    free = [column for column in view.columns if column.index not in used and column.sample]
    if span := asked.cue("when"):
        for column in free:
            if column.kind == "date":
                return Target(column.index, view.units_in(*span), "kind")
    if span := asked.cue("where"):
        for column in free:
            if about(column, _PLACES):
                return Target(column.index, view.units_in(*span), "kind")
    if span := asked.cue("who"):
        for column in free:
            if column.kind == "text" and about(column, _PERSONS):
                return Target(column.index, view.units_in(*span), "kind")
    return None

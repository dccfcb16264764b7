"""Readings for the largest, the smallest, the second longest; and for what stands most often in a column."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from caveat.answerers.tables.asked import FoundSuperlative
from caveat.answerers.tables.columns import Column, ColumnKind
from caveat.answerers.tables.linked import about
from caveat.answerers.tables.links import HeaderLink
from caveat.answerers.tables.lookups import wants_number
from caveat.answerers.tables.reading import Reading, cells_of, described, signs_of, units_of
from caveat.answerers.tables.target import Target, find_target
from caveat.answerers.tables.view import Condition, View
from caveat.language.quantities import is_blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["choose_column", "is_largest", "most_frequent", "superlative"]

# "What is the largest X": nothing between the two but "is the".
_VALUE = re.compile(r"\W*(?:(?:is|was|are|were|s|be|the|has|had|'s)\W*)*$")
_FREQUENT = re.compile(
    r"\b(?:most|least) (?:common|frequent|popular|recurring|often|times|represented|listed)"
)
_MOST_TIED = 3


def is_largest(found: FoundSuperlative, column: Column) -> bool:
    """Whether the largest value of the column is meant: of ranks the best is the smallest, and so on."""
    if column.is_rank:
        return not found.meaning.largest
    return found.meaning.largest != about(column, found.meaning.reversed_in)


def choose_column(view: View, found: FoundSuperlative) -> tuple[Column, frozenset[int], str] | None:
    """The column in which something is largest: named beside the word, usual for the word, or the only one."""
    kinds: tuple[ColumnKind, ...] = ("number", "date") if found.meaning.about else ("number",)
    place = max(view.units_in(found.start, found.end), default=0)
    zh = view.asked.language == "zh"

    def distance(link: HeaderLink) -> tuple[float, int]:
        # English names it after the word, Chinese before.
        after, before = link.start - place, place - link.end + 1
        gap = (after + 1 if zh else after) if after > 0 else (before if zh else 3 * before + 2)
        return gap + 2 * link.synonym - link.share, link.column

    if links := view.named(kinds):
        link = min(links, key=distance)
        how = "synonym" if link.synonym else "name"
        return view.columns[link.column], frozenset(range(link.start, link.end)), how
    for word in found.meaning.about:
        for column in view.columns:
            if column.kind in kinds and about(column, (word,)):
                return column, frozenset(), "hint"
    numbers = view.of_kind("number")
    return (numbers[0], frozenset(), "only") if len(numbers) == 1 else None


def superlative(view: View) -> Reading | None:
    """The row in which a column is largest or smallest, or that value itself."""
    found = view.superlative
    if found is None or _FREQUENT.search(view.asked.text) or (chosen := choose_column(view, found)) is None:
        return None
    column, units, how = chosen
    largest = is_largest(found, column)
    conditions = [c for c in view.conditions if not (c.column == column.index and c.relation is None)]
    compared = _compared(view, conditions, column)
    rows = _best(compared, column, largest, found.rank)
    if not rows:
        return None
    cue = view.units_in(found.start, found.end)
    target = None
    if not _wants_value(view, found, column):
        target = find_target(view, {column.index}, numbers=wants_number(view), taken=units)
    value = target is None
    if target is None:
        target = Target(column.index, frozenset(), "name")
    return Reading(
        "superlative",
        cells_of(view, target.column, rows[:1] if value else rows),
        tuple(rows),
        tuple(dict.fromkeys((target.column, column.index))),
        _description(
            view,
            conditions,
            column,
            None if value else view.columns[target.column],
            largest,
            found.rank,
            len(compared),
        ),
        units_of(conditions, units, cue, target.units),
        signs_of(
            target,
            conditions,
            **{f"column by {how}": 1.0, "value": float(value), "tie": float(len(rows) > 1)},
        ),
    )


def _description(
    view: View,
    conditions: list[Condition],
    column: Column,
    target: Column | None,
    largest: bool,
    rank: int,
    compared: int,
) -> str:
    en, zh = ("largest", "最大") if largest else ("smallest", "最小")
    if column.kind == "date":
        en, zh = ("latest", "最晚") if largest else ("earliest", "最早")
    if rank > 1:
        en = f"{('second', 'third', 'fourth', 'fifth')[rank - 2]} {en}"
        zh = f"第{'二三四五'[rank - 2]}{zh[1:]}"
    among = f"among {compared:,} row{'' if compared == 1 else 's'}"
    if target is None:
        return described(
            view,
            f"{en} {{column}} {among}{{where}}",
            f"{{where}}{compared}行中{zh}的{{column}}",
            conditions,
            column=column,
        )
    return described(
        view,
        f"{{target}} of the row with the {en} {{column}} {among}{{where}}",
        f"{{where}}{compared}行中{{column}}{zh}的{{target}}",
        conditions,
        column=column,
        target=target,
    )


def _wants_value(view: View, found: FoundSuperlative, column: Column) -> bool:
    asked = view.asked
    which = asked.cue("which")
    if asked.cue("who") or asked.cue("when") or asked.cue("where"):
        return False
    if which is None:
        return asked.cue("how much") is not None
    if asked.text[slice(*which)] != "what" or which[1] > found.start:
        return False
    if _VALUE.fullmatch(asked.text[which[1] : found.start]) is None:
        return False
    place = max(view.units_in(found.start, found.end), default=0)
    after = view.named(("text", "date", "number"), after=place)
    return not after or after[0].column == column.index


def _compared(view: View, conditions: list[Condition], column: Column) -> NDArray[np.intp]:
    """The rows that meet the conditions and have a value to compare."""
    return np.flatnonzero(view.rows_of(conditions) & ~view.totals & ~np.isnan(column.values))


def _best(rows: NDArray[np.intp], column: Column, largest: bool, rank: int) -> list[int]:
    """The rows with the largest value, or the smallest; for rank 2 those with the next one."""
    different = np.unique(column.values[rows])
    if len(different) < rank:
        return []
    best = different[-rank if largest else rank - 1]
    return [int(row) for row in rows[column.values[rows] == best]]


def most_frequent(view: View) -> Reading | None:
    """The text that stands most, or least, often in the column asked for."""
    found = view.superlative
    target = find_target(view)
    if found is None or target is None or target.how == "key" or view.columns[target.column].kind == "number":
        return None
    conditions = [c for c in view.conditions if c.column != target.column]
    column = view.columns[target.column]
    rows = np.flatnonzero(view.rows_of(conditions) & ~view.totals).tolist()
    counts = Counter(cell for row in rows if not is_blank(cell := column.cell(row)))
    if not counts:
        return None
    number = max(counts.values()) if found.meaning.largest else min(counts.values())
    best = [cell for cell, count in counts.items() if count == number]
    if len(best) > _MOST_TIED or (found.meaning.largest and number == 1):
        return None
    en, zh = ("most", "最多") if found.meaning.largest else ("least", "最少")
    return Reading(
        "most frequent",
        "; ".join(best),
        tuple(row for row in rows if column.cell(row) in best),
        (target.column,),
        described(
            view,
            f"{en} frequent {{column}}{{where}}",
            f"{{where}}出现{zh}的{{column}}",
            conditions,
            column=column,
        ),
        units_of(conditions, target.units, view.units_in(found.start, found.end)),
        signs_of(
            target,
            conditions,
            **{
                "tie": float(len(best) > 1),
                "said so": float(_FREQUENT.search(view.asked.text) is not None),
                "other column": float(choose_column(view, found) is not None),
            },
        ),
    )

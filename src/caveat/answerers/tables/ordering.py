"""Operations on the order of rows: the largest and the smallest, the most frequent, the first and last."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from caveat.answerers.tables.columns import Column, ColumnKind
from caveat.answerers.tables.interpretation import (
    Interpretation,
    Target,
    cells_of,
    described,
    features_of,
    targets,
    tokens_of,
    wants_number,
)
from caveat.answerers.tables.lexicon import lexicon
from caveat.answerers.tables.linking import MOST_COLUMNS, HeaderLink
from caveat.answerers.tables.question import SuperlativeSpan
from caveat.answerers.tables.selection import Condition, View
from caveat.answerers.tables.tokens import stem
from caveat.language.packs.zh import CHINESE
from caveat.language.quantities import is_blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

# "What is the largest X": nothing between the two but "is the".
_VALUE = re.compile(r"\W*(?:(?:is|was|are|were|s|be|the|has|had|'s)\W*)*$")
_FREQUENT = re.compile(
    r"\b(?:most|least) (?:common|frequent|popular|recurring|often|times|represented|listed)"
)
_MOST_TIED = 3
# Of names that stand equally near, what a longer one is worth for each of its words.
_LONGER = 0.05


def is_largest(found: SuperlativeSpan, column: Column) -> bool:
    """Whether the largest value of the column is meant: of ranks the best is the smallest, and so on."""
    if column.is_rank:
        return not found.meaning.largest
    # The oldest is what came first, whatever its column of dates is called.
    dated = column.kind == "date" and stem("date") in found.meaning.reversed_in
    return found.meaning.largest != (dated or column.has_word(found.meaning.reversed_in))


def choose_column(view: View, found: SuperlativeSpan) -> tuple[Column, frozenset[int], str] | None:
    """The column in which something is largest: named beside the word, usual for the word, or the only one."""
    dated = not lexicon().dates.isdisjoint(found.meaning.about)
    kinds: tuple[ColumnKind, ...] = ("number", "date") if dated else ("number",)
    place = max(view.tokens_in(found.start, found.end), default=0)
    zh = view.parsed.language == CHINESE

    def distance(link: HeaderLink) -> tuple[float, int]:
        # English names it after the word, Chinese before; names side by side are one: wheat exports, 小麦出口.
        start, end = view.run_of_names(link)
        after, before = start - place, place - end + 1
        gap = (after + 1 if zh else after) if after > 0 else (before if zh else 3 * before + 2)
        return gap + 2 * link.synonym - link.share - _LONGER * (link.end - link.start), link.column

    if links := view.named(kinds):
        link = min(links, key=distance)
        how = "synonym" if link.synonym else "name"
        return view.columns[link.column], frozenset(range(link.start, link.end)), how
    for word in found.meaning.about:
        for column in view.columns:
            if column.kind in kinds and column.has_word((word,)):
                return column, frozenset(), "hint"
    numbers = view.measures
    return (numbers[0], frozenset(), "only") if len(numbers) == 1 else None


def columns_compared(view: View, found: SuperlativeSpan) -> Iterator[tuple[Column, frozenset[int], str]]:
    """The column of `choose_column`, then all others in which something can be largest."""
    seen: set[int] = set()
    if (chosen := choose_column(view, found)) is not None:
        seen.add(chosen[0].index)
        yield chosen
    for link in view.named(("number", "date")):
        if link.column not in seen:
            seen.add(link.column)
            how = "other synonym" if link.synonym else "other name"
            yield view.columns[link.column], frozenset(range(link.start, link.end)), how
    if view.guesses or not seen:
        for column in view.columns[:MOST_COLUMNS]:
            if column.index not in seen and column.kind != "text" and not column.is_index:
                yield column, frozenset(), "guess"


def superlative(view: View) -> Iterator[Interpretation]:
    """The row in which a column is largest or smallest, or that value itself."""
    found = view.superlative
    if found is None or _FREQUENT.search(view.parsed.text):
        return
    for column, tokens, how in columns_compared(view, found):
        largest = is_largest(found, column)
        conditions = [c for c in view.conditions if not (c.column == column.index and c.relation is None)]
        compared = _compared(view, conditions, column)
        if rows := _best(compared, column, largest, found.rank):
            wanted = _wants_value(view, found, column)
            others = targets(view, {column.index}, numbers=wants_number(view), taken=tokens)
            value = Target(column.index, frozenset(), "name", not wanted)
            for target in (value, *(other._replace(other=other.other or wanted) for other in others)):
                yield _extreme(view, found, (column, tokens, how), target, conditions, compared, rows)


def _extreme(
    view: View,
    found: SuperlativeSpan,
    chosen: tuple[Column, frozenset[int], str],
    target: Target,
    conditions: list[Condition],
    compared: NDArray[np.intp],
    rows: list[int],
) -> Interpretation:
    column, tokens, how = chosen
    value = target.column == column.index
    return Interpretation(
        "superlative",
        cells_of(view, target.column, rows[:1] if value else rows),
        tuple(rows),
        tuple(dict.fromkeys((target.column, column.index))),
        _description(
            view,
            conditions,
            column,
            None if value else view.columns[target.column],
            is_largest(found, column),
            found.rank,
            len(compared),
        ),
        tokens_of(conditions, tokens, view.tokens_in(found.start, found.end), target.tokens),
        features_of(
            target,
            conditions,
            **{
                f"column by {how}": 1.0,
                "value": float(value),
                "tie": float(len(rows) > 1),
                f"{'value' if value else 'row'}, {_asked(view)}": 1.0,
                f"{'value' if value else 'row'}, named at once": float(_at_once(view, found, tokens)),
            },
        ),
    )


def _asked(view: View) -> str:
    """What kind of thing the question's word asks for."""
    for cue in ("who", "when", "where", "how much", "which"):
        if view.parsed.cue(cue):
            return cue
    return "nothing asked"


def _at_once(view: View, found: SuperlativeSpan, tokens: frozenset[int]) -> bool:
    """Whether the column's name stands beside the superlative: the lowest price, not the lowest by price."""
    said = view.tokens_in(found.start, found.end)
    return bool(tokens and said) and (
        min(tokens) == max(said) + 1
        or (view.parsed.language == CHINESE and max(tokens) in (min(said) - 1, max(said) + 2))
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


def _wants_value(view: View, found: SuperlativeSpan, column: Column) -> bool:
    parsed = view.parsed
    which = parsed.cue("which")
    if parsed.cue("who") or parsed.cue("when") or parsed.cue("where"):
        return False
    if which is None:
        return parsed.cue("how much") is not None or _is_value_alone(view, found, column)
    if parsed.text[slice(*which)] != "what" or which[1] > found.start:
        return False
    if _VALUE.fullmatch(parsed.text[which[1] : found.start]) is None:
        return False
    place = max(view.tokens_in(found.start, found.end), default=0)
    after = view.named(("text", "date", "number"), after=place)
    return not after or after[0].column == column.index


def _is_value_alone(view: View, found: SuperlativeSpan, column: Column) -> bool:
    """Whether nothing but the largest of a column is said: "lowest price in March"."""
    said = view.tokens_in(found.start, found.end)
    return (
        bool(said)
        and not any(map(view.parsed.is_content, range(min(said))))
        and any(link.column == column.index and link.start == max(said) + 1 for link in view.headers)
        and not view.named(("text",))
    )


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


def most_frequent(view: View) -> Iterator[Interpretation]:
    """The text that stands most, or least, often in the column asked for."""
    superlative = view.superlative
    if superlative is None:
        return
    compared = choose_column(view, superlative)
    if compared is not None and compared[2] == "name" and _at_once(view, superlative, compared[1]):
        return  # the largest budget is one
    for target in targets(view):
        if target.how == "key" or view.columns[target.column].kind == "number":
            continue
        if (found := _most_frequent(view, superlative, target)) is not None:
            yield found


def _most_frequent(view: View, found: SuperlativeSpan, target: Target) -> Interpretation | None:
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
    return Interpretation(
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
        tokens_of(conditions, target.tokens, view.tokens_in(found.start, found.end)),
        features_of(
            target,
            conditions,
            **{
                "tie": float(len(best) > 1),
                "said so": float(_FREQUENT.search(view.parsed.text) is not None),
                "other column": float(choose_column(view, found) is not None),
            },
        ),
    )


def order(view: View) -> Iterator[Interpretation]:
    """The first or last row that meets the conditions: in time where the table has dates, and as it stands."""
    if (said := view.parsed.order or view.parsed.any_order) is None:
        return
    last, span = said
    used = {c.column for c in view.conditions if c.relation is None}
    allowed = np.flatnonzero(view.rows_of(view.conditions) & ~view.totals).tolist()
    for target in targets(view, used, numbers=wants_number(view)):
        column = view.columns[target.column]
        rows = [row for row in allowed if not is_blank(column.cell(row))]
        if not rows:
            continue
        dated = _dated(view, max(view.tokens_in(*span), default=0), rows)
        yield _ordered(view, target, dated, _end(rows, dated, last), is_other=False)
        if dated is not None:
            yield _ordered(view, target, None, _end(rows, None, last), is_other=True)


def _ordered(view: View, target: Target, dated: Column | None, row: int, *, is_other: bool) -> Interpretation:
    last, span = view.parsed.order or view.parsed.any_order or (False, (0, 0))
    conditions, column = view.conditions, view.columns[target.column]
    en, zh = ("latest", "最晚") if last else ("earliest", "最早")
    if dated is not None:
        description = described(
            view,
            f"{{target}} of the row with the {en} {{date}}{{where}}",
            f"{{where}}{{date}}{zh}的{{target}}",
            conditions,
            target=column,
            date=dated,
        )
    else:
        en, zh = ("last", "最后一") if last else ("first", "第一")
        description = described(
            view,
            f"{{target}} of the {en} row{{where}}",
            f"{{where}}{zh}行的{{target}}",
            conditions,
            target=column,
        )
    return Interpretation(
        "order",
        column.cell(row),
        (row,),
        tuple(dict.fromkeys((target.column, *([dated.index] if dated else [])))),
        description,
        tokens_of(conditions, view.tokens_in(*span), target.tokens),
        features_of(
            target,
            conditions,
            **{
                "dated": float(dated is not None),
                "not by date": float(is_other),
                "hardly an order": float(view.parsed.order is None),
            },
        ),
    )


def _dated(view: View, after: int, rows: list[int]) -> Column | None:
    """The column of dates that tells which row is first: named after the word, else the first; all rows have one."""
    dates = [column for column in view.columns if column.kind == "date"]
    named = view.named(("date",), after=after)
    dated = view.columns[named[0].column] if named else dates[0] if dates else None
    return dated if dated is not None and not np.isnan(dated.values[rows]).any() else None


def _end(rows: list[int], dated: Column | None, last: bool) -> int:
    if dated is None:
        return rows[-1 if last else 0]
    values = dated.values[rows]
    best = values.max() if last else values.min()
    same = [row for row, value in zip(rows, values, strict=True) if value == best]
    # Of rows with one date, the order of the table tells, whichever way it goes.
    descending = bool(values[0] > values[-1])
    return same[-1] if last != descending else same[0]

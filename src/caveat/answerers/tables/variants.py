"""A question's conditions taken otherwise: one left out, one added, one of another column.

What the words alone do not settle, the weights do, by what each reading explains and what it leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.lexicon import lexicon
from caveat.answerers.tables.question import Comparison, SuperlativeSpan
from caveat.answerers.tables.selection import THAN, Condition, View
from caveat.language.quantities import is_blank

# No more than this many beside the first.
_MOST = 16
# The names in a question whose columns are looked at for being empty.
_MOST_NAMED = 3


def variants(view: View) -> Iterator[View]:
    """The view itself, then others with a condition less, one more, or one on another column; few of them."""
    yield view
    if not view.is_large:
        yield from islice(_others(view), _MOST)


def _others(view: View) -> Iterator[View]:
    conditions = view.conditions
    for place, condition in enumerate(conditions):
        rest = [*conditions[:place], *conditions[place + 1 :]]
        if condition.relation is not None:
            yield view.taken_otherwise(rest, {"compared left out": 1.0})
        else:
            told = sum(map(view.parsed.is_content, condition.tokens))
            yield view.taken_otherwise(
                rest,
                {
                    "text left out": 1.0,
                    "share left out": condition.share,
                    "words left out": float(told > 1),
                },
            )
    for place, condition in enumerate(conditions):
        for other in _elsewhere(view, condition):
            changed = [*conditions[:place], other, *conditions[place + 1 :]]
            if view.rows_of(changed).any():
                sort = "compared" if condition.relation is not None else "text"
                yield view.taken_otherwise(changed, {f"{sort} elsewhere": 1.0})
    said = {condition.tokens for condition in conditions}
    for comparison in view.comparisons:
        if view.tokens_in(comparison.start, comparison.end) not in said:
            for added in _compared_anywhere(view, comparison):
                yield view.taken_otherwise([*conditions, added], {"compared elsewhere": 1.0})
    for added in (*numbered(view), *_ordinals(view)):
        yield view.taken_otherwise([*conditions, added], {"number of column": 1.0})
    for sort, added in _empty_or_not(view):
        yield view.taken_otherwise([*conditions, added], {sort: 1.0})
    yield from _more_than_a_row(view)
    if len(conditions) > 1:
        yield view.taken_otherwise([], {"all left out": 1.0})


def numbered(view: View) -> Iterator[Condition]:
    """Two titles, week three: the column beside whose name the number stands has it."""
    taken = frozenset().union(*(condition.tokens for condition in view.conditions))
    for literal in view.parsed.literals:
        span = view.tokens_in(literal.start, literal.end)
        if literal.number is None or not span or not span.isdisjoint(taken):
            continue
        for link in view.headers:
            near = -1 <= link.start - max(span) <= 2 or 0 < min(span) - link.end + 1 <= 2
            if span >= frozenset(range(link.start, link.end)):
                continue  # the number is the name itself
            column = view.columns[link.column]
            if near and column.kind == "number" and (rows := column.values == literal.number).any():
                tokens = span | frozenset(range(link.start, link.end))
                shown = view.parsed.text[literal.start : literal.end]
                yield Condition(column.index, rows, shown, None, tokens, 1.0)


def _ordinals(view: View) -> Iterator[Condition]:
    """In the first round, where Round is a column of numbers."""
    for link in view.headers:
        column = view.columns[link.column]
        before = view.parsed.tokens[link.start - 1] if link.start else None
        number = lexicon().ordinals.get(view.parsed.text[before.start : before.end]) if before else None
        if number and column.kind == "number" and (rows := column.values == number).any():
            tokens = frozenset(range(link.start - 1, link.end))
            yield Condition(column.index, rows, str(number), None, tokens, 1.0)


def _empty_or_not(view: View) -> Iterator[tuple[str, Condition]]:
    """Not ranked: the column Rank is empty; with notes: it is not."""
    negated = view.parsed.cue("negation") is not None
    for link in view.headers[:_MOST_NAMED]:
        column = view.columns[link.column]
        empty = np.fromiter(map(is_blank, column.cells), dtype=bool, count=view.height)
        if column.kind == "number":
            empty |= column.values == 0
        tokens = frozenset(range(link.start, link.end))
        if empty.any() and not empty.all():
            if negated:
                yield "empty", Condition(column.index, empty, "", None, tokens, 1.0)
            yield "not empty", Condition(column.index, ~empty, "", None, tokens, 1.0, excluded=True)


def _more_than_a_row(view: View) -> Iterator[View]:
    """More than Malabar Trust, in any column of numbers."""
    found = view.parsed.comparative
    for place, condition in enumerate(view.conditions):
        if (
            found is None
            or condition.relation is not None
            or condition.rows.sum() != 1
            or not condition.tokens
        ):
            continue
        start = view.parsed.tokens[min(condition.tokens)].start
        if found.start < start and THAN.search(view.parsed.text[:start]):
            rest = [*view.conditions[:place], *view.conditions[place + 1 :]]
            for column in view.columns:
                if column.kind != "text" and not column.is_index:
                    yield view.taken_otherwise(
                        [*rest, _beyond(view, condition, column, found)], {"more than a row": 1.0}
                    )


def _beyond(view: View, condition: Condition, column: Column, found: SuperlativeSpan) -> Condition:
    bound = column.values[condition.rows.argmax()]
    larger = found.meaning.largest != column.is_rank
    with np.errstate(invalid="ignore"):
        rows = column.values > bound if larger else column.values < bound
    shown = f"{column.cell(int(condition.rows.argmax()))} ({condition.value})"
    return Condition(
        column.index, rows, shown, "more" if larger else "less", condition.tokens, condition.share
    )


def _elsewhere(view: View, condition: Condition) -> Iterator[Condition]:
    """The same words as a condition on other columns."""
    if condition.relation is None:
        for link in view.cells:
            span = frozenset(range(link.start, link.end))
            if span == condition.tokens and link.column != condition.column:
                yield view.text(link, span)
        return
    for comparison in view.comparisons:
        if view.tokens_in(comparison.start, comparison.end) == condition.tokens:
            yield from _compared_anywhere(view, comparison, but=condition.column)


def _compared_anywhere(view: View, comparison: Comparison, *, but: int = -1) -> Iterator[Condition]:
    for column in view.columns:
        if column.index == but or column.kind == "text":
            continue
        if (found := view.compared_in(comparison, column)) is not None:
            yield found

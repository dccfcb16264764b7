"""So many of the largest or the smallest: the top 3, 最高的三个."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caveat.answerers.tables.describe import described
from caveat.answerers.tables.interpretation import (
    Interpretation,
    cells_of,
    features_of,
    targets,
    tokens_of,
)
from caveat.answerers.tables.lexicon import Superlative
from caveat.answerers.tables.ordering import columns_compared, is_largest
from caveat.answerers.tables.question import SuperlativeSpan
from caveat.answerers.tables.selection import View

_LAST = ("bottom", "last", "后")


def top(view: View) -> Iterator[Interpretation]:
    """The rows in which a column is largest or smallest, so many of them, in their order."""
    said = view.parsed.top
    if said is None:
        return
    number, span = said
    found = view.superlative
    if found is None or found.meaning.about == ():
        last = view.parsed.text[slice(*span)].startswith(_LAST)
        found = found or SuperlativeSpan(Superlative(not last), *span)
    for column, tokens, how in columns_compared(view, found):
        conditions = [c for c in view.conditions if c.column != column.index or c.relation is not None]
        conditions = [c for c in conditions if not c.tokens <= view.tokens_in(*span)]
        rows = np.flatnonzero(view.rows_of(conditions) & ~view.totals & ~np.isnan(column.values))
        if rows.size < number:
            continue
        largest = is_largest(found, column)
        values = column.values[rows]
        order = np.argsort(-values if largest else values, kind="stable")[:number]
        best = [int(row) for row in rows[order]]
        for target in targets(view, {column.index}, taken=tokens):
            en, zh = ("largest", "最大") if largest else ("smallest", "最小")
            yield Interpretation(
                "top",
                cells_of(view, target.column, best),
                tuple(best),
                (target.column, column.index),
                described(
                    view,
                    f"{{target}} of the {number} rows with the {en} {{column}}{{where}}",
                    f"{{where}}{{column}}{zh}的{number}行的{{target}}",
                    conditions,
                    target=view.columns[target.column],
                    column=column,
                ),
                tokens_of(
                    conditions,
                    tokens,
                    target.tokens,
                    view.tokens_in(*span),
                    view.tokens_in(found.start, found.end),
                ),
                features_of(target, conditions, **{f"column by {how}": 1.0}),
            )

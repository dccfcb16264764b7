"""Yes or no of what a question says about one row: more than a number, a text in a column, or whether it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from caveat.answerers.tables.describe import described
from caveat.answerers.tables.interpretation import Interpretation, features_of, tokens_of
from caveat.answerers.tables.selection import Condition, View
from caveat.answerers.tables.variants import numbered


def holds(view: View) -> Iterator[Interpretation]:
    """Whether the rows that the question names are as it says."""
    parsed = view.parsed
    if not parsed.cue("yes or no") or view.variant or not view.said:
        return
    if parsed.cue("exists"):
        rows = np.flatnonzero(view.rows_of(view.said) & ~view.totals)
        yield _interpretation(view, view.said, rows.tolist(), bool(rows.size), "exists")
    for subjects, predicates, how in _splits(view):
        rows = np.flatnonzero(view.rows_of(subjects) & ~view.totals)
        if rows.size and predicates:
            met = view.rows_of(predicates)[rows]
            found = _interpretation(view, [*subjects, *predicates], rows.tolist(), bool(met.all()), how)
            several = float(rows.size > 1)
            yield found._replace(features=found.features | {"several rows": several})


def _splits(view: View) -> Iterator[tuple[list[Condition], list[Condition], str]]:
    """What names the rows, and what is said of them."""
    compared = [c for c in view.said if c.relation is not None]
    texts = [c for c in view.said if c.relation is None]
    if compared and texts:
        yield texts, compared, "compared"
    for number in numbered(view):
        rest = [c for c in texts if c.column != number.column and c.tokens.isdisjoint(number.tokens)]
        if rest:
            yield rest, [number], "number"
    if len(texts) > 1:
        # The rarest text names the row.
        subject = min(texts, key=lambda c: (c.column != view.key, int(c.rows.sum())))
        rest = [c for c in texts if c.column != subject.column]
        if rest:
            yield [subject], rest, "text"


def _interpretation(
    view: View, conditions: Sequence[Condition], rows: list[int], yes: bool, how: str
) -> Interpretation:
    cue = view.parsed.cue("exists") if how == "exists" else None
    return Interpretation(
        "holds",
        view.verdict(yes),
        tuple(rows),
        tuple(dict.fromkeys(c.column for c in reversed(conditions))),
        described(view, "whether there is a row{where}", "是否有{where}行", conditions),
        tokens_of(conditions, view.tokens_in(*cue) if cue else frozenset()),
        features_of(None, conditions, **{f"holds: {how}": 1.0, "yes": float(yes)}),
    )

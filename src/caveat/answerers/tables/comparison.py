"""Comparisons of rows that a question names: how far apart they are, which has more, and yes or no."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.interpretation import (
    Interpretation,
    amount,
    cells_of,
    described,
    features_of,
    readable,
    tokens_of,
)
from caveat.answerers.tables.ordering import choose_column, is_largest
from caveat.answerers.tables.selection import Condition, View
from caveat.answerers.tables.variants import numbered

# "Did A win more or less than B" is answered by one of the two words.
_EITHER = re.compile(
    r"\b(more|above|better|higher|greater|larger|longer|taller)(?: or |/)"
    r"(less|fewer|below|worse|lower|smaller|shorter)\b"
)


def _pair(view: View) -> tuple[Condition, Condition, list[Condition]] | None:
    """Two texts of one column that the question names, and the conditions on other columns."""
    texts = [c for c in view.conditions if c.relation is None and not c.excluded]
    by_column: dict[int, list[Condition]] = {}
    for each in texts:
        by_column.setdefault(each.column, []).append(each)
    for column, named in by_column.items():
        if len(named) == 2:
            first, second = sorted(named, key=lambda c: min(c.tokens))
            return first, second, [c for c in view.conditions if c.column != column]
    return None


def difference(view: View) -> Iterator[Interpretation]:
    """How far the values of two rows are apart."""
    span = view.parsed.cue("difference")
    pair = _pair(view)
    if span is None or pair is None:
        return
    for column, tokens, how in _compared_columns(view, pair[0].column):
        if (found := _difference(view, span, pair, column, tokens, how)) is not None:
            yield found
    yield _difference_of_counts(view, span, pair)


def _difference_of_counts(
    view: View, span: tuple[int, int], pair: tuple[Condition, Condition, list[Condition]]
) -> Interpretation:
    first, second, rest = pair
    common = view.rows_of(rest) & ~view.totals
    rows = [np.flatnonzero(condition.rows & common) for condition in (first, second)]
    apart = abs(rows[0].size - rows[1].size)
    return Interpretation(
        "difference",
        readable(apart),
        tuple(int(row) for part in rows for row in part),
        (first.column,),
        described(
            view,
            "difference of the counts of rows for {first} and {second}{where}",
            "{where}{first}与{second}行数之差",
            rest,
            first=first.value,
            second=second.value,
        ),
        tokens_of([first, second, *rest], view.tokens_in(*span)),
        features_of(None, [first, second], **{"column by count": 1.0, "no difference": float(not apart)}),
        float(apart),
    )


def _difference(
    view: View,
    span: tuple[int, int],
    pair: tuple[Condition, Condition, list[Condition]],
    column: Column,
    tokens: frozenset[int],
    how: str,
) -> Interpretation | None:
    first, second, rest = pair
    common = view.rows_of(rest) & ~view.totals & ~np.isnan(column.values)
    rows = [np.flatnonzero(condition.rows & common) for condition in (first, second)]
    if not all(part.size for part in rows):
        return None
    one, two = (float(column.values[part].sum()) for part in rows)
    single = all(part.size == 1 for part in rows)
    if column.kind == "date":
        if not single:
            return None
        one, two = one // 10_000, two // 10_000
    return Interpretation(
        "difference",
        amount(column, abs(one - two)),
        tuple(int(row) for part in rows for row in part),
        (column.index, first.column),
        described(
            view,
            "difference of {column} between {first} and {second}{where}",
            "{where}{first}与{second}的{column}之差",
            rest,
            column=column,
            first=first.value,
            second=second.value,
        ),
        tokens_of([first, second, *rest], tokens, view.tokens_in(*span), _changed(view)),
        features_of(None, [first, second], **{f"column by {how}": 1.0, "several rows": float(not single)}),
        abs(one - two),
    )


def _changed(view: View) -> frozenset[int]:
    """The word that says that something rose or fell."""
    return view.tokens_in(*view.parsed.change[1]) if view.parsed.change else frozenset()


def _compared_columns(view: View, other: int) -> Iterator[tuple[Column, frozenset[int], str]]:
    """The columns in which two rows can be compared, the one that is meant first."""
    seen = {other}
    found = view.superlative or view.parsed.comparative
    if found is not None and (chosen := choose_column(view, found)) is not None and chosen[0].index != other:
        seen.add(chosen[0].index)
        yield chosen
    links = [link for link in view.named(("number", "date")) if link.column not in seen]
    for place, link in enumerate(links):
        if link.column not in seen:
            how = "synonym" if link.synonym else "name"
            how = f"other {how}" if place or len(seen) > 1 else how
            seen.add(link.column)
            yield view.columns[link.column], frozenset(range(link.start, link.end)), how
    numbers = [column for column in view.measures if column.index != other]
    if len(numbers) == 1 and numbers[0].index not in seen:
        seen.add(numbers[0].index)
        yield numbers[0], frozenset(), "only"
    if view.guesses:
        for column in view.columns:
            if column.kind != "text" and column.index not in seen and not column.is_index:
                yield column, frozenset(), "guess"


def choice(view: View) -> Iterator[Interpretation]:
    """Which of two that the question names has more, less, came first …"""
    parsed = view.parsed
    pair = _pair(view)
    found = view.superlative or parsed.comparative
    if pair is None or (found is None and parsed.order is None) or parsed.cue("difference"):
        return
    if _EITHER.search(parsed.text):
        return
    columns: list[tuple[Column | None, frozenset[int], str]] = []
    if found is not None:
        columns += _compared_columns(view, pair[0].column)
        columns.append((None, frozenset(), "count"))
    else:
        dates = [c for c in view.columns if c.kind == "date" and c.index != pair[0].column]
        columns += [(column, frozenset(), "hint") for column in dates[:1]]
        columns.append((None, frozenset(), "order"))
    for column, tokens, how in columns:
        if (chosen := _choice(view, pair, column, tokens, how)) is not None:
            yield chosen


def _choice(
    view: View,
    pair: tuple[Condition, Condition, list[Condition]],
    column: Column | None,
    tokens: frozenset[int],
    how: str,
) -> Interpretation | None:
    parsed = view.parsed
    found = view.superlative or parsed.comparative
    first, second, rest = pair
    common = view.rows_of(rest) & ~view.totals
    rows = [np.flatnonzero(condition.rows & common) for condition in (first, second)]
    if not all(part.size for part in rows):
        return None
    several = any(part.size > 1 for part in rows)
    if found is not None:
        largest = is_largest(found, column) if column is not None else found.meaning.largest
        span = (found.start, found.end)
    else:
        largest, span = parsed.order if parsed.order else (False, (0, 0))
    if column is not None:
        one, two = (float(np.nansum(column.values[part])) for part in rows)
    elif how == "order":
        one, two = float(rows[0][0]), float(rows[1][0])
    else:
        one, two = float(rows[0].size), float(rows[1].size)
    if one == two:
        return None
    winner, part = (first, rows[0]) if (one > two) == largest else (second, rows[1])
    en, zh = ("larger", "更大") if largest else ("smaller", "更小")
    name = view.columns[first.column]
    what = "count" if column is None else column.name
    return Interpretation(
        "choice",
        cells_of(view, winner.column, [int(part[0])]),
        tuple(int(row) for some in rows for row in some),
        tuple(dict.fromkeys((first.column, *([column.index] if column is not None else [])))),
        described(
            view,
            f"{{name}} with the {en} {{what}}: {{first}} or {{second}}{{where}}",
            f"{{where}}{{first}}与{{second}}中{{what}}{zh}的{{name}}",
            rest,
            name=name,
            what=what,
            first=first.value,
            second=second.value,
        ),
        tokens_of([first, second, *rest], tokens, view.tokens_in(*span)),
        features_of(None, [first, second], **{f"column by {how}": 1.0, "several rows": float(several)}),
    )


def either(view: View) -> Iterator[Interpretation]:
    """Which of two texts stands in the row that the rest of the question names: "was it in 1998 or in 1994"."""
    pair = _pair(view)
    if pair is None or view.parsed.cue("or") is None:
        return
    first, second, rest = pair
    rows = np.flatnonzero(view.rows_of(rest) & ~view.totals)
    right = [condition for condition in (first, second) if rest and condition.rows[rows].all()]
    if rows.size == 0 or len(right) != 1:
        return
    column = view.columns[first.column]
    yield Interpretation(
        "either",
        cells_of(view, column.index, rows.tolist()),
        tuple(rows.tolist()),
        (column.index, *dict.fromkeys(c.column for c in rest)),
        described(
            view,
            "{column}{where}: {first} or {second}",
            "{where}{column}是{first}还是{second}",
            rest,
            column=column,
            first=first.value,
            second=second.value,
        ),
        tokens_of([first, second, *rest]),
        features_of(None, [first, second, *rest], **{"several rows": float(rows.size > 1)}),
    )


def verdict(view: View) -> Iterator[Interpretation]:
    """Whether the first of two rows has more than the second, as "more" or "less", or as yes or no."""
    parsed = view.parsed
    pair = _pair(view)
    words = _EITHER.search(parsed.text)
    found = parsed.comparative
    alike = parsed.cue("same")
    if pair is None or not (found or alike) or not (words or parsed.cue("yes or no")):
        return
    first, second, rest = pair
    common = view.rows_of(rest) & ~view.totals
    rows = [np.flatnonzero(condition.rows & common) for condition in (first, second)]
    if not all(part.size for part in rows):
        return
    columns: list[tuple[Column | None, frozenset[int], str]] = [*_compared_columns(view, first.column)]
    columns.append((None, frozenset(), "count"))
    said = view.tokens_in(*((found.start, found.end) if found else alike or (0, 0)))
    for column, tokens, how in columns:
        if column is None:
            one, two = float(rows[0].size), float(rows[1].size)
        else:
            one, two = (float(np.nansum(column.values[part])) for part in rows)
        more = (one > two) == (column is None or not column.is_rank)
        if words:
            text = words[1] if more else words[2]
        else:
            text = view.verdict(one == two if found is None else more == found.meaning.largest and one != two)
        yield Interpretation(
            "verdict",
            text,
            tuple(int(row) for some in rows for row in some),
            tuple(dict.fromkeys((*([column.index] if column is not None else []), first.column))),
            described(
                view,
                "{what} of {first} compared with that of {second}{where}",
                "{where}{first}与{second}的{what}之比较",
                rest,
                what="count" if column is None else column.name,
                first=first.value,
                second=second.value,
            ),
            tokens_of([first, second, *rest], tokens, said),
            features_of(None, [first, second], **{f"column by {how}": 1.0}),
        )


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

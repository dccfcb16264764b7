"""One way to read a question on a table: what it does, what comes out, and what speaks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.describe import joined, name_of, where
from caveat.answerers.tables.target import Target
from caveat.answerers.tables.view import Condition, View

__all__ = ["Operation", "Reading", "cells_of", "units_of"]

Operation = Literal[
    "look-up", "superlative", "order", "neighbour", "most frequent", "count", "sum", "average", "difference",
    "choice", "either", "same",
]  # fmt: skip


class Reading(NamedTuple):
    """An operation with its result; `signs` are what the confidence is computed from."""

    operation: Operation
    text: str
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    description: str
    explained: frozenset[int]
    signs: dict[str, float]

    @property
    def is_cell(self) -> bool:
        """Whether the answer is what stands in a cell, and nothing was computed."""
        return self.operation in ("look-up", "either")


def cells_of(view: View, column: int, rows: Sequence[int]) -> str:
    """The cells of a column in some rows as one answer."""
    return joined([view.columns[column].cell(row) for row in rows])


def units_of(conditions: Iterable[Condition], *more: frozenset[int]) -> frozenset[int]:
    """All the units of the question that were used."""
    return frozenset().union(*(condition.units for condition in conditions), *more)


def signs_of(target: Target | None, conditions: Sequence[Condition], **more: float) -> dict[str, float]:
    """What speaks for and against a reading, as far as target and conditions tell."""
    texts = [condition for condition in conditions if condition.relation is None]
    signs = {f"target by {target.how}": 1.0} if target else {}
    signs["conditions"] = min(len(conditions), 2)
    signs["no condition"] = float(not conditions)
    signs["partial cells"] = sum(condition.share < 1.0 for condition in texts) / max(len(texts), 1)
    signs["share"] = min((condition.share for condition in texts), default=1.0)
    return signs | more


def described(view: View, en: str, zh: str, conditions: Sequence[Condition], **columns: Column) -> str:
    """A description in the question's language; `{name}` stands for a column, `{where}` for the conditions."""
    names = {key: name_of(view, column.index) for key, column in columns.items()}
    text = where(view, conditions)
    if view.asked.language == "zh":
        return zh.format(where=f"{text}的" if text else "", **names)
    return en.format(where=text, **names)

"""Named columns of evidence, a row a candidate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from caveat.answerers.ranking.matching import Floats

__all__ = ["Columns", "Features"]


class Features(NamedTuple):
    """Evidence for the candidates of one question: [candidates, names]."""

    names: tuple[str, ...]
    values: Floats

    def column(self, name: str) -> Floats:
        """One of the columns."""
        values: Floats = self.values[:, self.names.index(name)]
        return values

    def with_columns(self, columns: dict[str, Floats]) -> Features:
        """These and further columns."""
        more = np.stack(list(columns.values()), axis=1) if columns else np.empty((len(self.values), 0))
        return Features((*self.names, *columns), np.concatenate([self.values, more], axis=1))


class Columns:
    """Columns as they are added, for so many candidates."""

    def __init__(self, candidates: int) -> None:
        self._candidates = candidates
        self._columns: dict[str, Floats] = {}

    def add(
        self, name: str, values: Iterable[float] | Floats | np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    ) -> Floats:
        """Add a column and give it back."""
        column = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
        self._columns[name] = column
        return column

    def by_type(self, name: str, types: Iterable[str], asked: str, values: Floats) -> None:
        """A column for each type of question: the values for the type that is asked, 0 for the others."""
        for type in types:
            self._columns[f"{type}: {name}"] = values if type == asked else np.zeros(self._candidates)

    def features(self) -> Features:
        """All of them."""
        return Features(tuple(self._columns), np.stack(list(self._columns.values()), axis=1))

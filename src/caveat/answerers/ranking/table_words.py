"""A table as numbered tokens, made once and matched with any number of questions."""

from __future__ import annotations

import re
from collections import OrderedDict
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.answerers.ranking.cues import HEADER_CUES, is_number
from caveat.core.records import Table
from caveat.language.tokens import Integers, Vocabulary

__all__ = ["TableIndex", "TableWords"]

# Tables are kept for the next question until they have this many tokens together.
_KEPT_TOKENS = 1 << 24
# So many rows tell what a column holds.
_LOOKED_AT = 30
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


class TableWords(NamedTuple):
    """The caption, each header and each cell as a text of `tokens`, and the row and column of each.

    The caption's row is -2, the headers' -1; the caption's column is -1.
    """

    tokens: Integers
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    row_count: int
    column_count: int
    # What it holds: the share of columns with figures, and whether there are years and what the headers speak of.
    figures: float
    years: bool
    headers_say: frozenset[str]


class TableIndex:
    """Tables as words; those of the last questions are kept."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        # By the identity of the table, which is kept with them so that it stays its own: hashing one reads all of it.
        self._kept: OrderedDict[int, tuple[Table, TableWords]] = OrderedDict()
        self._tokens = 0

    def words(self, table: Table) -> TableWords:
        """The words of a table, kept for the next question."""
        if (kept := self._kept.get(id(table))) is not None:
            self._kept.move_to_end(id(table))
            return kept[1]
        words = self.read(table)
        self._kept[id(table)] = table, words
        self._tokens += len(words.tokens)
        while self._tokens > _KEPT_TOKENS and len(self._kept) > 1:
            self._tokens -= len(self._kept.popitem(last=False)[1][1].tokens)
        return words

    def read(self, table: Table) -> TableWords:
        """The words of a table that no other question will be asked of."""
        texts = [table.caption, *table.headers, *chain.from_iterable(table.rows)]
        widths = np.array([len(row) for row in table.rows], dtype=np.intp)
        width = max(len(table.headers), int(widths.max(initial=0)))
        rows = np.concatenate(
            [[-2], np.full(len(table.headers), -1), np.repeat(np.arange(len(widths)), widths)]
        )
        starts = np.concatenate([[0], np.cumsum(widths)[:-1]]) if len(widths) else widths
        inside = np.arange(int(widths.sum())) - np.repeat(starts, widths)
        columns = np.concatenate([[-1], np.arange(len(table.headers)), inside])
        sample = table.rows[:_LOOKED_AT]
        return TableWords(
            self.vocabulary.encode(texts),
            rows.astype(np.intp),
            columns.astype(np.intp),
            len(table.rows),
            width,
            sum(_is_numeric(sample, column) for column in range(width)) / max(width, 1),
            any(_YEAR.search(cell) for row in sample for cell in row),
            frozenset(name for name, cue in HEADER_CUES.items() if any(map(cue.search, table.headers))),
        )


def _is_numeric(rows: tuple[tuple[str, ...], ...], column: int) -> bool:
    cells = [row[column] for row in rows if column < len(row) and row[column].strip()]
    return bool(cells) and sum(map(is_number, cells)) > 0.7 * len(cells)

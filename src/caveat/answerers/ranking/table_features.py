"""Evidence that a table answers a question: caption, headers and cells that share words with it, and the best row."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.answerers.ranking.combination import embedded_combination
from caveat.answerers.ranking.features import (
    HEADER_CUES,
    Columns,
    Features,
    Floats,
    Matches,
    is_number,
    match,
)
from caveat.core.languages import language_of
from caveat.core.records import Table
from caveat.language.bm25 import bm25, rarity
from caveat.language.question_types import QUESTION_TYPES, question_type
from caveat.language.tokens import STOP_TOKENS, Integers, Vocabulary, tokens

# Tables are kept for the next question until they have this many tokens together.
_KEPT_TOKENS = 1 << 24
# The first rows tell what a column holds.
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


_FIELDS = ("caption", "headers", "cells")
# The number of whole cells whose evidence is added up.
_BEST_CELLS = 3


def table_features(question: str, tables: Sequence[Table], index: TableIndex) -> Features:
    """Features of all candidate tables of a question, whose order tells nothing."""
    return TableMatch(question, [index.words(table) for table in tables], index).features()


class _Cells(NamedTuple):
    """All cells of all tables, one after the other: the table of each, its field, and a number for its row."""

    table: NDArray[np.intp]
    field: NDArray[np.intp]
    # Rows are numbered through all tables; -1 for captions and headers.
    row: NDArray[np.intp]
    row_count: int
    row_table: NDArray[np.intp]


class TableMatch:
    """A question's tokens in several tables.

    Among two or three tables every word that one of them lacks is as rare as any other. Where there are fewer than
    `among`, rarity is what it would be among that many, the missing ones having stop words and nothing else.
    """

    def __init__(
        self, question: str, tables: Sequence[TableWords], index: TableIndex, *, among: int = 0
    ) -> None:
        self._question, self._tables = question, tables
        self._distinct = list(dict.fromkeys(tokens(question)))
        self._others = max(0, among - len(tables))
        self._asked = index.vocabulary.encode([question])[:-1]
        self._cells = _cells(tables)
        self._matches: Matches = match(self._asked, np.concatenate([table.tokens for table in tables]))
        count = len(tables)
        in_field = [np.where(self._cells.field == field, self._cells.table, -1) for field in range(3)]
        self._fields = [[run.counted(group, count) for group in in_field] for run in self._matches.runs]
        self._anywhere = [run.counted(self._cells.table, count) for run in self._matches.runs]
        common = np.array([token in STOP_TOKENS for token in self._distinct], dtype=np.bool_)
        self._rarity = rarity(self._anywhere[0], self._others, common)
        # [rows of all tables, tokens of the question]
        self._in_row = self._matches.runs[0].counted(self._cells.row, self._cells.row_count) > 0

    def row_evidence(self, table: int) -> Floats:
        """How much of the question each row of a table has, by what is rare among the table's rows."""
        rows = self._in_row[self._cells.row_table == table]
        evidence: Floats = rows @ rarity(rows.astype(np.float64)) if len(rows) else np.zeros(0)
        return evidence

    def column_evidence(self, table: int) -> Floats:
        """How much of the question each column of a table has, in its header and in its cells."""
        words = self._tables[table]
        mine = np.flatnonzero(self._cells.table == table)
        group = np.full(len(self._cells.table), -1)
        group[mine] = words.columns
        present = self._matches.runs[0].counted(group, max(words.column_count, 1)) > 0
        evidence: Floats = present @ rarity(present.astype(np.float64))
        return evidence

    def features(self) -> Features:
        """The features of every table."""
        columns = Columns(len(self._tables))
        lengths = _sums(self._matches.lengths, self._cells.table, len(self._tables))
        scores = columns.add("bm25", bm25(self._anywhere[0], lengths, self._rarity))
        columns.add("bm25 in deviations", (scores - scores.mean()) / (scores.std() or 1.0))
        present = self._anywhere[0] > 0
        columns.add("overlap", present.mean(1) if present.shape[1] else np.zeros(len(present)))
        self._add_fields(columns)
        self._add_rows(columns)
        self._add_runs(columns)
        self._add_whole_cells(columns)
        self._add_numbers(columns)
        self._add_shape(columns, lengths)
        return columns.features()

    def _add_fields(self, columns: Columns) -> None:
        most = self._rarity.sum() or 1.0
        for name, counts in zip((*_FIELDS, "table"), (*self._fields[0], self._anywhere[0]), strict=True):
            covered = columns.add(f"covered by {name}", (counts > 0) @ self._rarity)
            columns.add(f"share covered by {name}", covered / most)

    def _add_rows(self, columns: Columns) -> None:
        """The best row alone, and the best together with caption and headers: what one row can answer."""
        frame = (self._fields[0][0] > 0) | (self._fields[0][1] > 0)
        together = self._in_row | frame[self._cells.row_table]
        most = self._rarity.sum() or 1.0
        for name, rows in (("best row", self._in_row), ("best row with its frame", together)):
            best = np.zeros(len(self._tables))
            np.maximum.at(best, self._cells.row_table, rows @ self._rarity)
            columns.add(f"covered by {name}", best)
            columns.add(f"share covered by {name}", best / most)

    def _add_runs(self, columns: Columns) -> None:
        for order in (2, 3):
            weights = rarity(self._anywhere[order - 1], self._others)
            for name, counts in zip(_FIELDS, self._fields[order - 1], strict=True):
                columns.add(f"runs of {order} in {name}", (counts > 0) @ weights)
        for field, name in enumerate(_FIELDS):
            longest = np.zeros(len(self._tables))
            mine = self._cells.field == field
            np.maximum.at(longest, self._cells.table[mine], self._matches.longest[mine])
            columns.add(f"longest run in {name}", longest / max(len(self._asked), 1))

    def _add_whole_cells(self, columns: Columns) -> None:
        """Captions, headers and cells all of whose tokens stand in the question, in a row."""
        whole = (self._matches.longest == self._matches.lengths) & (self._matches.lengths > 0)
        texts, runs, _ = self._matches.runs[0]
        worth = np.bincount(texts, self._rarity[runs], len(whole))
        for field, name in enumerate(_FIELDS):
            mine = np.flatnonzero(whole & (self._cells.field == field))
            best = np.zeros((len(self._tables), _BEST_CELLS))
            # The same name in many rows is one.
            found = {*zip(self._cells.table[mine].tolist(), worth[mine].tolist(), strict=True)}
            filled = [0] * len(self._tables)
            for table, value in sorted(found, key=lambda pair: -pair[1]):
                if filled[table] < _BEST_CELLS:
                    best[table, filled[table]] = value
                    filled[table] += 1
            columns.add(f"best of whole {name}", best[:, 0])
            if name != "caption":
                columns.add(f"sum of whole {name}", best.sum(1))

    def _add_numbers(self, columns: Columns) -> None:
        """Numbers of the question that the table has, and that it has not."""
        numbers = [place for place, token in enumerate(self._distinct) if token[0].isdigit()]
        in_caption, _, in_cells = (counts[:, numbers] > 0 for counts in self._fields[0])
        columns.add("numbers in cells", in_cells.sum(1))
        columns.add("numbers in caption", in_caption.sum(1))
        columns.add("numbers missing", (self._anywhere[0][:, numbers] == 0).sum(1))

    def _add_shape(self, columns: Columns, lengths: NDArray[np.intp]) -> None:
        type = question_type(self._question)
        rows = columns.add("log rows", np.log1p([table.row_count for table in self._tables]))
        columns.add("log columns", np.log1p([table.column_count for table in self._tables]))
        length = columns.add("log length", np.log1p(lengths))
        columns.add("square of log length", length**2)
        figures = columns.add("columns with figures", [table.figures for table in self._tables])
        years = columns.add("has years", [table.years for table in self._tables])
        speaks = [type in table.headers_say for table in self._tables]
        columns.add("headers speak of what is asked", speaks)
        for name, values in (("log rows", rows), ("columns with figures", figures), ("has years", years)):
            columns.by_type(name, QUESTION_TYPES, type, values)


def _cells(tables: Sequence[TableWords]) -> _Cells:
    table = np.repeat(np.arange(len(tables)), [len(words.rows) for words in tables])
    rows = np.concatenate([words.rows for words in tables])
    row_counts = np.array([words.row_count for words in tables])
    starts = np.concatenate([[0], np.cumsum(row_counts)[:-1]])
    return _Cells(
        table,
        np.minimum(rows + 2, 2),
        np.where(rows >= 0, rows + starts[table], -1),
        int(row_counts.sum()),
        np.repeat(np.arange(len(tables)), row_counts),
    )


def _sums(values: NDArray[np.intp], groups: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    return np.bincount(groups, values, count).astype(np.intp)


# The number of tables in the lists that the weights were fitted to.
_FITTED_TO = 20


def table_scores(question: str, tables: Sequence[TableWords], index: TableIndex) -> Floats:
    """The tables' scores, of which only differences mean something, for any number of tables."""
    features = TableMatch(question, tables, index, among=_FITTED_TO).features()
    return embedded_combination(language_of(question), "tables").scores(features)

"""Questions answered from tables: the cell, the computed number, or the table with its best rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from caveat.answerers.ranking.table_features import TableIndex
from caveat.answerers.tables.choice import match_tables, rank_columns, rank_rows
from caveat.answerers.tables.confidence import confidences, features, interpretations
from caveat.answerers.tables.describe import name_of
from caveat.answerers.tables.interpretation import Interpretation
from caveat.answerers.tables.operations import lacks_column
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.answerers.tables.selection import View
from caveat.core.errors import InputError
from caveat.core.records import Table

__all__ = ["TableAnswer", "TableAnswerKind", "Tables", "answer_from_tables"]

TableAnswerKind = Literal["cell", "computed", "table"]

# The number of tables, from the most probable, in which answers are looked for.
_MOST_READ = 5
# The rows of a table that are shown where the table itself is the answer.
_ROWS_SHOWN = 5
# From this probability on what was found comes before its table, which then is this much of it at most.
_WORTH_SAYING, _BESIDE = 0.3, 0.95
# Of a right table nothing is understood about so often (docs/results/tables.md): a table from which something sure is
# said is the more probable one for it.
_SILENT = 0.3
# What is asked for would have to be computed, and was not.
_DERIVED = "ratio or change"


class _Read(NamedTuple):
    """A table by its place, how probable it is that it is the one, and what is said surest from it, if anything is."""

    table: int
    view: View
    probability: float
    sure: float
    best: Interpretation | None


class TableAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer from a table: what it says, where it stands, how it came about, how probable it is.

    A cell's `rows` and `columns` are where it stands, the answer's column first, then those that were compared;
    of a computed answer they are all that it was computed from; of a table they are the best rows and columns. `key`
    is the column of the row names.
    """

    table: int
    kind: TableAnswerKind
    text: str
    score: float
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()
    operation: str = ""
    key: int | None = None


class Tables:
    """Tables made ready for questions; worth keeping where there are several questions."""

    def __init__(self, tables: Sequence[Table | PreparedTable]) -> None:
        self._prepared = tuple(
            each if isinstance(each, PreparedTable) else PreparedTable(each) for each in tables
        )
        self.tables = tuple(each.source for each in self._prepared)
        self._index = TableIndex()

    def answer(self, question: str, *, top: int = 5) -> list[TableAnswer]:
        """The `top` most probable answers; none where no table has a word of the question.

        Each of the best tables is an answer by itself, with the probability that it is the right one and nothing
        surer can be said; before it comes what was looked up or computed in it, unless that is improbable.
        """
        if not question.strip():
            raise InputError("The question is empty.")
        if top < 1:
            raise InputError(f"At least one answer must be asked for, got {top}.")
        parsed = ParsedQuestion(question)
        read = self._read(parsed, max(top, _MOST_READ))
        # Someone who asks for a value has more of it than of a table, be it the one that the value shows or another.
        worth = [each.probability * each.sure for each in read if _is_worth_saying(each)]
        most = _BESIDE * max(worth) if worth else 1.0
        answers: list[TableAnswer] = []
        # What a table is held back by that says nothing counts for those that do.
        held_back = 0.0
        for each in read:
            if each.best is not None:
                answers.append(_answer(each.view, each.table, each.best, each.probability * each.sure))
            elif lacks_column(each.view):
                continue  # to show it would be to say that it answers
            rest = each.probability * (1 - each.sure)
            if not _is_worth_saying(each):
                held_back += max(0.0, rest - most)
            answers.append(_whole(each.view, each.table, min(rest, most)))
        if held_back:
            share = 1 + held_back / sum(answer.score for answer in answers)
            answers = [msgspec.structs.replace(answer, score=answer.score * share) for answer in answers]
        return sorted(answers, key=lambda answer: -answer.score)[:top]

    def _read(self, parsed: ParsedQuestion, most: int) -> list[_Read]:
        """The most probable tables, each with what is said surest from it; one that says something is more probable."""
        read: list[_Read] = []
        for place, (index, probability) in enumerate(
            match_tables(parsed, self._prepared, self._index)[:most]
        ):
            view = View(parsed, self._prepared[index])
            found = confidences(view, interpretations(view)) if place < _MOST_READ else []
            sure, best = found[0] if found else (0.0, None)
            read.append(_Read(index, view, probability, sure, best))
        whole = sum(each.probability for each in read)
        told = sum(each.probability * (_SILENT + each.sure) for each in read)
        return [
            each._replace(probability=each.probability * (_SILENT + each.sure) * whole / told)
            for each in read
        ]


def _is_worth_saying(read: _Read) -> bool:
    """Whether what was looked up or computed comes before any table alone."""
    return (
        read.best is not None
        and read.sure >= _WORTH_SAYING
        and _DERIVED not in features(read.view, read.best)
    )


def answer_from_tables(question: str, tables: Sequence[Table], *, top: int = 5) -> list[TableAnswer]:
    """The `top` most probable answers from the tables, most probable first (see `Tables.answer`)."""
    return Tables(tables).answer(question, top=top)


def _answer(view: View, index: int, interpretation: Interpretation, score: float) -> TableAnswer:
    return TableAnswer(
        index,
        "cell" if interpretation.is_cell else "computed",
        interpretation.text,
        score,
        interpretation.rows,
        interpretation.columns,
        _row_names(view, interpretation.rows),
        tuple(name_of(view, column) for column in interpretation.columns),
        interpretation.description,
        _key(view),
    )


def _whole(view: View, index: int, score: float) -> TableAnswer:
    rows = tuple(rank_rows(view.parsed, view.prepared, _ROWS_SHOWN))
    columns = tuple(rank_columns(view.parsed, view.prepared))
    table = view.prepared.source
    names = tuple(name_of(view, column) for column in columns)
    text = table.caption or table.id or ", ".join(filter(None, table.headers))
    return TableAnswer(
        index, "table", text, score, rows, columns, _row_names(view, rows), names, key=_key(view)
    )


def _key(view: View) -> int | None:
    return view.key if view.columns else None


def _row_names(view: View, rows: Sequence[int]) -> tuple[str, ...]:
    """What the rows are about: their cells in the key column."""
    if not view.columns:
        return ()
    key = view.columns[view.key]
    return tuple(key.cell(row) for row in rows)

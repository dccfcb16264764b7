"""Answers from tables: what was looked up or computed, with the rows and columns that show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from threading import Lock
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from caveat.answerers.contract import Asked
from caveat.answerers.ranking.table_features import TableIndex
from caveat.answerers.tables.choice import match_tables, probability_of, rank_columns, share_of_words
from caveat.answerers.tables.confidence import confidences, features, interpretations
from caveat.answerers.tables.interpretation import Interpretation, name_of
from caveat.answerers.tables.lexicon import Cue
from caveat.answerers.tables.operations import lacks_column
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.answerers.tables.selection import View
from caveat.core.answers import Answer, Cells, Place
from caveat.core.cache import LimitedCache
from caveat.core.errors import InputError
from caveat.core.records import Reply, Table
from caveat.core.spreading import Through
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.language.quantities import is_blank

TableAnswerKind = Literal["cell", "computed", "table"]

# The number of tables, from the most probable, in which answers are looked for.
_MOST_READ = 5
# The most cells of a row that are shown where the row itself is the answer.
_CELLS_SHOWN = 12
# How often the answer stands in the one row that a question names, where no interpretation of it is right: measured on
# the development part (docs/results/tables.md).
_IN_ROW = 0.55
# What stands between a name and its cell, and between cells, by language.
_MARKS = {ENGLISH: (": ", "; "), CHINESE: ("：", "；")}
# From this probability on what was found comes before its row, which then is this much of it at most.
_WORTH_SAYING, _BESIDE = 0.3, 0.95
# Of a right table nothing is understood about so often (docs/results/tables.md): a table from which something sure is
# said is the more probable one for it.
_SILENT = 0.3
# What no one row says.
_OF_SEVERAL: tuple[Cue, ...] = (
    "sum",
    "average",
    "difference",
    "yes or no",
    "same",
    "in a row",
    "next",
    "previous",
)
# The columns of an interpretation are named by nothing.
_GUESSED = ("column by guess", "column by only", "target by guess")
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
    of a computed answer they are all that it was computed from; a table answers by the one row that the question names,
    whose cells are the text. `key` is the column of the row names, `number` a computed number as it is.
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
    number: float | None = None


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

        What was looked up or computed in a table comes before the row that the question names, unless it is
        improbable; where no one row is named, a table says nothing by itself.
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
            row = _named_row(each.view)
            if row is not None and each.best is not None and _is_guessed(each.view, each.best):
                # Only the row is sure, which has the cell in it.
                share = each.probability * max(each.sure, _IN_ROW)
                answers.append(_whole(each.view, each.table, row, share))
                continue
            if each.best is not None and not _is_derived(each.view, each.best):
                answers.append(_answer(each.view, each.table, each.best, each.probability * each.sure))
            if row is None:
                continue
            rest = each.probability * (1 - each.sure) * _IN_ROW
            if not _is_worth_saying(each):
                held_back += max(0.0, rest - most)
            answers.append(_whole(each.view, each.table, row, min(rest, most)))
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
            # An empty cell says nothing.
            sure, best = next((each for each in found if each[1].text.strip()), (0.0, None))
            if best is not None:
                probability *= _more_probable(view, best)
            read.append(_Read(index, view, probability, sure, best))
        whole = sum(each.probability for each in read)
        told = sum(each.probability * (_SILENT + each.sure) for each in read)
        return [
            each._replace(probability=each.probability * (_SILENT + each.sure) * whole / told)
            for each in read
        ]


def _more_probable(view: View, best: Interpretation) -> float:
    """How many times as probable it is that a table answers, given that words it does not have name what it has.

    "The heaviest" is the largest weight; a column that is only guessed is named by nothing.
    """
    if any(name in best.features for name in _GUESSED):
        return 1.0
    share = share_of_words(view.parsed, view.prepared)
    with_explained = share_of_words(view.parsed, view.prepared, best.explained)
    return probability_of(max(share, with_explained)) / probability_of(share)


def _is_worth_saying(read: _Read) -> bool:
    """Whether what was looked up or computed comes before any table alone."""
    return read.best is not None and read.sure >= _WORTH_SAYING and not _is_derived(read.view, read.best)


def _is_guessed(view: View, interpretation: Interpretation) -> bool:
    """Whether nothing in the question says which cell of the row is asked for."""
    if interpretation.operation != "look-up" or len(interpretation.rows) > 1:
        return False
    given = interpretation.features
    anything = "target by key" in given and interpretation.columns[0] != view.key
    return anything or "target by guess" in given


def _is_derived(view: View, interpretation: Interpretation) -> bool:
    """Whether a share or a change is asked for that no column has: what stands in a cell is another thing."""
    return _DERIVED in features(view, interpretation)


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
        interpretation.number,
    )


def _named_row(view: View) -> int | None:
    """The one row that the question names by a whole cell, where it asks for one of its cells."""
    parsed = view.parsed
    if lacks_column(view) or any(map(parsed.cue, _OF_SEVERAL)) or view.superlative or parsed.top:
        return None  # to show it would be to say that it answers
    conditions = [c for c in view.conditions if not c.excluded]
    if not any(c.relation is None and c.share == 1.0 for c in conditions):
        return None
    rows = np.flatnonzero(view.rows_of(conditions) & ~view.totals)
    return int(rows[0]) if rows.size == 1 else None


def _whole(view: View, index: int, row: int, score: float) -> TableAnswer:
    """The row as the answer: its cells with their headers, those first that the question names."""
    named = (view.key, *rank_columns(view.parsed, view.prepared))
    every = dict.fromkeys((*named, *range(len(view.columns))))
    shown = [column for column in every if not is_blank(view.columns[column].cell(row))][:_CELLS_SHOWN]
    between, after = _MARKS[view.parsed.language]
    names = tuple(name_of(view, column) for column in shown)
    text = after.join(
        f"{name}{between}{view.columns[column].cell(row)}" for name, column in zip(names, shown, strict=True)
    )
    return TableAnswer(
        index, "table", text, score, (row,), tuple(shown), _row_names(view, (row,)), names, key=_key(view)
    )


def _key(view: View) -> int | None:
    return view.key if view.columns else None


def _row_names(view: View, rows: Sequence[int]) -> tuple[str, ...]:
    """What the rows are about: their cells in the key column."""
    if not view.columns:
        return ()
    key = view.columns[view.key]
    return tuple(key.cell(row) for row in rows)


# The rows whose cells an answer carries; of all others it carries the numbers.
_ROWS_WITH_TEXTS = 20
# The most columns that are carried where the table itself is the answer.
_COLUMNS_OF_A_TABLE = 8
# Five tables are read, and each is an answer too: with ten answers nothing of the probability is missing.
_EVERY = 10
# Sets of tables that were asked together and are kept, with the words of all.
_SETS = 8


class TableAnswerer:
    """Chooses among the tables of a question, looks up or computes; no model is loaded."""

    def __init__(self) -> None:
        self._sets: LimitedCache[Tables] = LimitedCache(_SETS)
        # What a set has found of its words is kept with it, and is not for two questions at once.
        self._lock = Lock()

    def prepare(self, source: Table) -> PreparedTable:
        """The table with its text made searchable."""
        return PreparedTable(source)

    def answer(self, asked: Iterable[Asked[PreparedTable]], *, through: Through = iter) -> Iterator[Reply]:
        """A reply for each question from its tables together, in order."""
        return map(self._reply, asked)

    def _reply(self, asked: Asked[PreparedTable]) -> Reply:
        # By identity, which the set keeps: to compare tables cell by cell would take as long as to prepare them.
        tables = self._sets.get(tuple(map(id, asked.sources)), lambda: Tables(asked.sources))
        with self._lock:
            found = tables.answer(asked.question.text, top=max(asked.top, _EVERY))
        answered = sum(answer.score for answer in found)
        answers = (_as_answer(answer, tables.tables[answer.table]) for answer in found[: asked.top])
        return Reply(asked.question, tuple(answers), max(0.0, 1 - answered))


def answer_cells(answer: Answer) -> Iterator[tuple[int, int]]:
    """The cells in which the answer itself stands, by the places of row and column among those that it carries."""
    if answer.cells is None or answer.cells.kind == "table":
        return
    texts = {answer.text, *answer.text.split("; ")}
    for number, row in enumerate(answer.cells.texts):
        if row and row[0] in texts:
            yield number, 0


def _as_answer(found: TableAnswer, table: Table) -> Answer:
    columns = list(found.columns)
    if found.key is not None and found.key not in columns:
        columns.append(found.key)
    if found.kind == "table":
        columns = list(dict.fromkeys((*columns, *range(len(table.headers)))))[:_COLUMNS_OF_A_TABLE]
    rows = found.rows or tuple(range(min(len(table.rows), _ROWS_WITH_TEXTS // 4)))
    if found.kind == "computed":
        rows = found.rows  # a count may be of none
    cells = Cells(
        found.kind,
        tuple(columns),
        rows,
        tuple(_cell(table.headers, column) for column in columns),
        tuple(tuple(_cell(table.rows[row], column) for column in columns) for row in rows[:_ROWS_WITH_TEXTS]),
        table.caption,
        found.operation,
        found.number,
    )
    return Answer(
        found.text,
        "table",
        min(1.0, found.score),
        Place(table.name, headings=_caption(table)),
        cells=cells,
    )


def _cell(row: Sequence[str], column: int) -> str:
    return row[column] if column < len(row) else ""


def _caption(table: Table) -> tuple[str, ...]:
    """The caption as a heading, where it says more than the table's name does."""
    name, number, sheet = table.id.rpartition("#")
    stem = PurePath((name if number else table.id).removesuffix(".gz")).stem
    caption = table.caption.removeprefix(f"{stem}: ")
    return () if caption in ("", stem, sheet, table.name) else (caption,)

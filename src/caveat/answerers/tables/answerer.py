"""Answers from tables: what was looked up or computed, with the rows and columns that show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from threading import Lock

from caveat.answerers.contract import Asked, Through
from caveat.answerers.kept import Kept
from caveat.answerers.tables.answers import TableAnswer, Tables
from caveat.answerers.tables.prepared import PreparedTable
from caveat.core.answers import Answer, Cells, Place
from caveat.core.records import Reply, Table

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
        self._sets: Kept[Tables] = Kept(_SETS)
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
        answers = (_answer(answer, tables.tables[answer.table]) for answer in found[: asked.top])
        return Reply(asked.question, tuple(answers), max(0.0, 1 - answered))


def table_name(table: Table) -> str:
    """What a table is called where an answer says its place."""
    return table.id or table.caption


def answer_cells(answer: Answer) -> Iterator[tuple[int, int]]:
    """The cells in which the answer itself stands, by the places of row and column among those that it carries."""
    if answer.cells is None or answer.cells.kind == "table":
        return
    texts = {answer.text, *answer.text.split("; ")}
    for number, row in enumerate(answer.cells.texts):
        if row and row[0] in texts:
            yield number, 0


def _answer(found: TableAnswer, table: Table) -> Answer:
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
        Place(table_name(table), headings=_caption(table)),
        cells=cells,
    )


def _cell(row: Sequence[str], column: int) -> str:
    return row[column] if column < len(row) else ""


def _caption(table: Table) -> tuple[str, ...]:
    """The caption as a heading, where it says more than the table's name does."""
    name, number, sheet = table.id.rpartition("#")
    stem = PurePath((name if number else table.id).removesuffix(".gz")).stem
    caption = table.caption.removeprefix(f"{stem}: ")
    return () if caption in ("", stem, sheet, table_name(table)) else (caption,)

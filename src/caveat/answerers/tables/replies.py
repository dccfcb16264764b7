"""Answers from tables: what was looked up or computed, with the rows and columns that show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from caveat.answerers.tables.answers import TableAnswer, Tables
from caveat.core.records import Answer, Cells, Place, Question, Table

__all__ = ["answer_cells", "table_answers", "table_name"]

# Of so many rows an answer carries the cells; of all others their numbers.
_ROWS_WITH_TEXTS = 20
# So many columns of a table are carried where the table itself is the answer.
_COLUMNS_OF_A_TABLE = 8
# Five tables are read, and each is an answer too: with so many nothing of the probability is missing.
_EVERY = 10


def table_answers(question: Question, tables: Tables, top: int = 5) -> tuple[list[Answer], float]:
    """The `top` most probable answers, and how probable it is that the tables have none."""
    found = tables.answer(question.text, top=max(top, _EVERY))
    answered = sum(answer.score for answer in found)
    return [_answer(answer, tables.tables[answer.table]) for answer in found[:top]], max(0.0, 1 - answered)


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

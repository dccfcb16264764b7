"""NLPCC TBQA: a question, a table, and whether the table answers the question.

The task's own files have five columns: label, question, caption, headers, cells. Where each table is a
candidate of many questions, pairs name it by its id (label, question, table id) and the tables stand in a
file of their own (id, caption, headers, cells). Without the label both are test files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from caveat.benchmarks.nlpcc.candidates import LABELS, without_blanks
from caveat.benchmarks.registry import Drops, Format, Records, SourceFiles, records_of, records_to
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_rows, write_rows
from caveat.core.records import Table

_CELL, _ROW = " _|_ ", " _||_ "
# A blank less is forgiven: beside an empty cell, or at the line's end, many an editor drops one.
_CELL_MARK, _ROW_MARK = re.compile(r" ?_\|_ ?"), re.compile(r" ?_\|\|_ ?")


class TbqaPair(msgspec.Struct, frozen=True):
    """A question and a candidate table; the label is None in a test file."""

    question: str
    table: Table
    label: int | None = None


class TbqaCandidate(msgspec.Struct, frozen=True):
    """A question and a candidate table's id."""

    question: str
    table: str
    label: int | None = None


def read(path: PathLike, tables: PathLike | None = None) -> Iterator[TbqaPair]:
    """The pairs in the order of the file, as a stream; `tables` is the file that ids point into."""
    return (pair for _, pair in read_numbered(path, tables))


def read_numbered(path: PathLike, tables: PathLike | None = None) -> Iterator[tuple[int, TbqaPair]]:
    """The pairs, each with the number of its line."""
    known: dict[str, Table] | None = None
    for number, label, rest in _labelled_rows(path):
        if len(rest) == 4:
            question, *content = rest
            yield number, TbqaPair(question, _table("", content), label)
            continue
        question, id = rest
        if known is None:
            known = _tables_by_id(tables, path, number)
        if id not in known:
            raise InputError(f"there is no such table in {tables}", path=path, line=number, id=id)
        yield number, TbqaPair(question, known[id], label)


def _tables_by_id(tables: PathLike | None, path: PathLike, number: int) -> dict[str, Table]:
    if tables is None:
        problem = "the pairs name their tables by id: the file with the tables is needed too (--tables)"
        raise InputError(problem, path=path, line=number)
    return {table.id: table for table in read_tables(tables)}


def read_candidates(path: PathLike) -> Iterator[TbqaCandidate]:
    """The pairs of either layout without the tables' cells: a table is its id, or else its caption."""
    return (candidate for _, candidate in read_numbered_candidates(path))


def read_numbered_candidates(path: PathLike) -> Iterator[tuple[int, TbqaCandidate]]:
    """The same, each with the number of its line."""
    for number, label, (question, table, *_) in _labelled_rows(path):
        yield number, TbqaCandidate(question, table, label)


def read_candidates_by_id(path: PathLike) -> Iterator[TbqaCandidate]:
    """The pairs of a file that names its tables by id; one that holds the tables themselves is refused."""
    for number, label, rest in _labelled_rows(path):
        if len(rest) != 2:
            problem = "expected label, question, table id; this file holds the tables themselves (nlpcc-tbqa)"
            raise InputError(problem, path=path, line=number)
        yield TbqaCandidate(rest[0], rest[1], label)


def read_tables(path: PathLike) -> Iterator[Table]:
    """The tables of a tables file, as a stream; each id stands for one table."""
    return (table for _, table in read_numbered_tables(path))


def read_numbered_tables(path: PathLike) -> Iterator[tuple[int, Table]]:
    """The same, each with the number of its line."""
    seen: set[str] = set()
    for number, row in read_rows(path):
        if len(row) != 4:
            problem = f"expected 4 tab-separated columns (id, caption, headers, cells), found {len(row)}"
            raise InputError(problem, path=path, line=number)
        id, *content = row
        if id in seen:
            raise InputError("a second table has this id", path=path, line=number, id=id)
        seen.add(id)
        yield number, _table(id, content)


def _labelled_rows(path: PathLike) -> Iterator[tuple[int, int | None, list[str]]]:
    """Line number, label and other columns; an odd number of columns has a label in front."""
    width = 0
    for number, row in read_rows(path):
        width = width or len(row)
        if width not in (2, 3, 4, 5):
            problem = (
                "expected label, question, table id, or label, question, caption, headers, cells, "
                f"with or without the label, tab-separated; found {width} columns"
            )
            raise InputError(problem, path=path, line=number)
        if len(row) != width:
            problem = f"expected {width} tab-separated columns, as in the lines before, found {len(row)}"
            raise InputError(problem, path=path, line=number)
        if width % 2 == 0:
            yield number, None, row
            continue
        row = without_blanks(row, 0)
        label = LABELS.get(row[0])
        if label is None:
            problem = f"expected a label, 0 or 1, in the first column, got {row[0][:80]!r}"
            raise InputError(problem, path=path, line=number)
        yield number, label, row[1:]


def _table(id: str, content: Sequence[str]) -> Table:
    caption, headers, cells = content
    return Table(_cells(headers) if headers else (), _rows(cells), caption, id)


def _cells(text: str) -> tuple[str, ...]:
    return tuple(_CELL_MARK.split(text))


def _rows(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(map(_cells, _ROW_MARK.split(text))) if text else ()


def write(path: PathLike, pairs: Iterable[TbqaPair]) -> None:
    """The pairs with their tables, in the task's five columns; the tables' ids are not kept there."""
    content = ((pair.label, [pair.question, *_content(pair.table, path)]) for pair in pairs)
    write_rows(path, _with_labels(content, path))


def write_candidates(path: PathLike, candidates: Iterable[TbqaCandidate]) -> None:
    """The pairs with their tables' ids; `write_tables` writes the other half."""
    content = ((candidate.label, [candidate.question, candidate.table]) for candidate in candidates)
    write_rows(path, _with_labels(content, path))


def write_tables(path: PathLike, tables: Iterable[Table]) -> None:
    """The tables with their ids, one a line."""
    write_rows(path, ([table.id, *_content(table, path)] for table in tables))


def _with_labels(content: Iterable[tuple[int | None, list[str]]], path: PathLike) -> Iterator[Sequence[str]]:
    labelled: bool | None = None
    for number, (label, columns) in enumerate(content, 1):
        if labelled is None:
            labelled = label is not None
        if labelled != (label is not None):
            raise InputError("either all pairs have labels or none has", path=path, line=number)
        if label is None:
            yield columns
        elif label in (0, 1):
            yield [str(int(label)), *columns]
        else:
            raise InputError(f"a label is 0 or 1, not {label}", path=path, line=number)


def _content(table: Table, path: PathLike) -> list[str]:
    content = [table.caption, _CELL.join(table.headers), _ROW.join(map(_CELL.join, table.rows))]
    if _table(table.id, content) != table:
        problem = (
            "cells with the marks _|_ or _||_, a row without cells, or one empty cell alone cannot be written"
        )
        raise InputError(problem, path=path, id=table.id or table.caption)
    return content


def _read_records(files: SourceFiles, drops: Drops) -> Records:
    return Records(read(files.data, files.tables))


FORMATS = (
    Format(
        "nlpcc-tbqa",
        "NLPCC TBQA's five columns; candidates that name tables by id are read with --tables",
        "tbqa",
        _read_records,
        records_to(write),
        frozenset({"tables"}),
    ),
    Format(
        "nlpcc-tbqa-candidates",
        "label, question, table id",
        "candidates",
        records_of(read_candidates_by_id),
        records_to(write_candidates),
    ),
    Format(
        "nlpcc-tbqa-tables",
        "table id, caption, headers, cells",
        "tables",
        records_of(read_tables),
        records_to(write_tables),
    ),
)

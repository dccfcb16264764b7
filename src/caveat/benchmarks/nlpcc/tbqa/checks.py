"""Is NLPCC TBQA data sound? Its tables, within the pairs or in a file of their own, and the candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from caveat.benchmarks.nlpcc.candidate_checks import Candidate, check_candidates
from caveat.benchmarks.nlpcc.tbqa.format import read_numbered, read_numbered_candidates, read_numbered_tables
from caveat.benchmarks.shared.finding import Finding
from caveat.benchmarks.shared.place import Place, quote
from caveat.core.files import PathLike
from caveat.core.records import Table

__all__ = ["check", "duplicate_header", "empty_table", "ragged_row", "unknown_table"]


def check(data: PathLike, tables: PathLike | None = None) -> Iterator[Finding]:
    """The findings in a TBQA file; `tables` is the file of the tables, if the pairs name them by id."""
    if tables is None:
        yield from _check_with_tables(data)
    else:
        yield from _check_by_id(data, tables)


def _check_with_tables(data: PathLike) -> Iterator[Finding]:
    pairs = []
    known: dict[Table, Table] = {}  # a table is a candidate of many questions: kept and checked once
    for line, pair in read_numbered(data):
        table = known.setdefault(pair.table, pair.table)
        if table is pair.table:
            yield from _check_table(table, Place(str(data), line))
        pairs.append((pair.question, Candidate(table, table.caption, pair.label, line)))
    yield from check_candidates(pairs, str(data))


def _check_by_id(data: PathLike, tables: PathLike) -> Iterator[Finding]:
    ids = set()
    for line, table in read_numbered_tables(tables):
        ids.add(table.id)
        yield from _check_table(table, Place(str(tables), line, table.id))
    pairs = []
    for line, candidate in read_numbered_candidates(data):
        yield from unknown_table(candidate.table, ids, tables, Place(str(data), line, candidate.table))
        pairs.append((candidate.question, Candidate(candidate.table, candidate.table, candidate.label, line)))
    yield from check_candidates(pairs, str(data))


def _check_table(table: Table, place: Place) -> Iterator[Finding]:
    yield from empty_table(table, place)
    yield from duplicate_header(table, place)
    yield from ragged_row(table, place)


def empty_table(table: Table, place: Place) -> Iterator[Finding]:
    """A table without a single cell that has text."""
    if not any(cell.strip() for row in table.rows for cell in row):
        yield place.finding("empty-table", f"the table {quote(table.caption)} has no cells with text")


def duplicate_header(table: Table, place: Place) -> Iterator[Finding]:
    """Columns with the same header, empty ones passed over; one finding a table."""
    counts = Counter(header.strip() for header in table.headers)
    several = [f"{times} {quote(header)}" for header, times in counts.items() if header and times > 1]
    if several:
        yield place.finding(
            "duplicate-header", f"columns of the table {quote(table.caption)}: {', '.join(several)}"
        )


def ragged_row(table: Table, place: Place) -> Iterator[Finding]:
    """Rows that have not as many cells as there are headers; one finding a table."""
    wrong = [(number, len(row)) for number, row in enumerate(table.rows, 1) if len(row) != len(table.headers)]
    if wrong:
        (number, cells), *others = wrong
        more = f", and {len(others)} more rows do not fit" if others else ""
        yield place.finding(
            "ragged-row",
            f"row {number} of the table {quote(table.caption)} has {cells} cells "
            f"under {len(table.headers)} headers{more}",
        )


def unknown_table(id: str, ids: set[str], tables: PathLike, place: Place) -> Iterator[Finding]:
    """A candidate that names no table."""
    if id not in ids:
        yield place.finding("unknown-table", f"there is no table {quote(id)} in {tables}")

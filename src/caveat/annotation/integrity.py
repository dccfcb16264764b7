"""Whether a project's file is as it was written: SQLite's own structure, the tables, and the checksum of each row."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import cache
from typing import TypeVar

import msgspec

from caveat.annotation import schema
from caveat.core.errors import CaveatError

__all__ = ["Damage", "decoded_row", "find_damage"]

T = TypeVar("T")

_LONGEST_KEY = 80


class Damage(msgspec.Struct, frozen=True):
    """A row that is not as it was written; or, without a table, something that is wrong with the whole file."""

    problem: str
    table: str = ""
    row: str = ""

    def __str__(self) -> str:
        place = f"{self.table}, row {self.row}: " if self.row else f"{self.table}: " if self.table else ""
        return place + self.problem


def decoded_row(raw: bytes | str, type: type[T]) -> T:
    """A record as a row has it; one that was damaged since the file was opened raises a sentence."""
    try:
        return msgspec.json.decode(raw, type=type)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CaveatError(
            f"A row of the project is damaged: {error}; `caveat annotate verify` says which."
        ) from error


def find_damage(connection: sqlite3.Connection) -> list[Damage]:
    """All that is wrong with a project's file, at one moment."""
    found: list[Damage] = []
    factory = connection.text_factory
    # Text that is no UTF-8 any more has no checksum; SQLite's own message would name no row.
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    try:
        connection.execute("BEGIN")
        for check in (_structure, _tables, _rows, _chain):
            found.extend(check(connection))
    except schema.FAULTS as error:
        found.append(Damage(str(error)))
    finally:
        connection.text_factory = factory
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return found


def _structure(connection: sqlite3.Connection) -> Iterator[Damage]:
    """What SQLite finds wrong with its pages and indexes."""
    try:
        for (said,) in connection.execute("PRAGMA integrity_check"):
            if said != "ok":
                yield Damage(" ".join(said.split()))
    except schema.FAULTS as error:
        yield Damage(str(error))


def _tables(connection: sqlite3.Connection) -> Iterator[Damage]:
    """Tables, indexes and triggers that are not those of a project; what others have added does no harm."""
    there = set(connection.execute("SELECT type, name, sql FROM sqlite_schema"))
    for kind, name, sql in _expected():
        if (kind, name, sql) not in there:
            yield Damage(f"the definition of the {kind} {name} is damaged")


def _rows(connection: sqlite3.Connection) -> Iterator[Damage]:
    """Rows whose checksum is not that of their values."""
    for table, keys in _keys().items():
        try:
            for *values, checksum in connection.execute(f"SELECT * FROM {table}"):
                if not _is_whole(values, checksum):
                    key = ", ".join(str(values[place]) for place in keys)
                    yield Damage("its checksum is not that of its values", table, _shown(key))
        except schema.FAULTS as error:
            yield Damage(str(error), table)


def _is_whole(values: list[object], checksum: object) -> bool:
    try:
        return schema.row_checksum(*values) == checksum
    except UnicodeEncodeError:
        return False


def _chain(connection: sqlite3.Connection) -> Iterator[Damage]:
    """Decisions are numbered without gaps: none of them is missing; and what each is about is there."""
    count, last = connection.execute("SELECT COUNT(*), IFNULL(MAX(number), 0) FROM decisions").fetchone()
    given = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'decisions'").fetchone()
    if not count == last == (given[0] if given else 0):
        yield Damage(f"{count} decisions are there, and {max(last, given[0] if given else 0)} were taken")
    if not connection.execute("SELECT 1 FROM meta WHERE name = 'task'").fetchone():
        yield Damage("the task is missing", "meta")
    for table, problem, query in _MISSING:
        for (key,) in connection.execute(query):
            yield Damage(problem, table, _shown(key))


# What SQLite does not see: a row that is gone without a trace, by the row that belongs to it.
_MISSING = (
    ("items", "its sample is missing", "SELECT id FROM items WHERE sample NOT IN (SELECT id FROM samples)"),
    ("samples", "its item is missing", "SELECT id FROM samples WHERE id NOT IN (SELECT sample FROM items)"),
    ("items", "its opening is missing", "SELECT id FROM items WHERE id NOT IN (SELECT item FROM openings)"),
    (
        "decisions",
        "its state is missing",
        "SELECT number FROM decisions"
        " WHERE (item, stage, owner) NOT IN (SELECT item, stage, owner FROM states)"
        " ORDER BY number",
    ),
)


def _shown(key: object) -> str:
    return str(key).encode("utf-8", "backslashreplace").decode("utf-8")[:_LONGEST_KEY]


@cache
def _expected() -> tuple[tuple[str, str, str], ...]:
    with _pristine() as connection:
        return tuple(
            connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
        )


@cache
def _keys() -> dict[str, tuple[int, ...]]:
    """Each table with the places of the columns that name its rows."""
    with _pristine() as connection:
        tables = [name for kind, name, _ in _expected() if kind == "table" and name != "sqlite_sequence"]
        return {
            table: tuple(
                place
                for place, key in connection.execute("SELECT cid, pk FROM pragma_table_info(?)", (table,))
                if key
            )
            for table in tables
        }


def _pristine() -> sqlite3.Connection:
    connection = schema.connect(":memory:")
    schema.create(connection)
    return connection

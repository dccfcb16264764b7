"""The tables of a project's file, whose rows have checksums that SQLite computes, and whether they are as written."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from functools import cache
from typing import TypeVar

import msgspec

from caveat.core.errors import CaveatError

__all__ = [
    "APPLICATION",
    "FAULTS",
    "VERSION",
    "Damage",
    "connect",
    "create",
    "decoded_row",
    "find_damage",
    "row_checksum",
    "upgrade",
]

VERSION = 2
APPLICATION = 0x43415654
"""`application_id` of the file: which tells it from other databases ("CAVT" as a number)."""
FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged file raises: SQLite's message itself may hold bytes that are no text."""
# How long a writer waits for those of other processes; a write takes milliseconds.
_PATIENCE = 120.0

# A generated column: no statement that writes a row can forget its checksum, other programs read the tables as they
# are, and cannot write to them.
_SCHEMA = """
CREATE TABLE meta (
    name TEXT PRIMARY KEY, value TEXT NOT NULL,
    checksum INTEGER NOT NULL GENERATED ALWAYS AS (row_checksum(name, value)) STORED
) WITHOUT ROWID;
CREATE TABLE samples (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, record BLOB NOT NULL,
    checksum INTEGER NOT NULL GENERATED ALWAYS AS (row_checksum(position, id, record)) STORED
);
CREATE TABLE items (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, sample TEXT NOT NULL, turn INTEGER NOT NULL,
    checksum INTEGER NOT NULL GENERATED ALWAYS AS (row_checksum(position, id, sample, turn)) STORED
);
CREATE INDEX items_of_sample ON items (sample);
CREATE TABLE annotators (
    position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL, token TEXT NOT NULL UNIQUE,
    checksum INTEGER NOT NULL GENERATED ALWAYS AS (row_checksum(position, name, role, token)) STORED
);
-- How many people an item wants in a stage, and how many have it.
CREATE TABLE openings (
    item TEXT NOT NULL, stage TEXT NOT NULL, wanted INTEGER NOT NULL, taken INTEGER NOT NULL,
    checksum INTEGER NOT NULL GENERATED ALWAYS AS (row_checksum(item, stage, wanted, taken)) STORED,
    PRIMARY KEY (item, stage)
) WITHOUT ROWID;
CREATE TABLE assignments (
    position INTEGER PRIMARY KEY, item TEXT NOT NULL, stage TEXT NOT NULL, annotator TEXT NOT NULL, state TEXT NOT NULL,
    time TEXT NOT NULL,
    checksum INTEGER NOT NULL
        GENERATED ALWAYS AS (row_checksum(position, item, stage, annotator, state, time)) STORED,
    UNIQUE (item, stage, annotator)
);
CREATE INDEX assignments_of ON assignments (annotator, state);
-- What each has on each item now; a decision is what led there, and `shown` the one whose work that is.
CREATE TABLE states (
    item TEXT NOT NULL, stage TEXT NOT NULL, owner TEXT NOT NULL, version INTEGER NOT NULL, shown INTEGER NOT NULL,
    work BLOB,
    checksum INTEGER NOT NULL GENERATED ALWAYS AS (row_checksum(item, stage, owner, version, shown, work)) STORED,
    PRIMARY KEY (item, stage, owner)
) WITHOUT ROWID;
CREATE TABLE decisions (
    number INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL, stage TEXT NOT NULL, owner TEXT NOT NULL,
    annotator TEXT NOT NULL, time TEXT NOT NULL, action TEXT NOT NULL, before BLOB, after BLOB, request TEXT NOT NULL,
    version INTEGER NOT NULL, parent INTEGER NOT NULL,
    checksum INTEGER NOT NULL GENERATED ALWAYS AS (row_checksum(
        number, item, stage, owner, annotator, time, action, before, after, request, version, parent
    )) STORED,
    UNIQUE (item, stage, annotator, request)
);
CREATE INDEX decisions_of ON decisions (item, stage, owner, parent);
CREATE TABLE suggestions (
    item TEXT PRIMARY KEY, record BLOB NOT NULL, uncertainty REAL NOT NULL,
    checksum INTEGER NOT NULL GENERATED ALWAYS AS (row_checksum(item, record, uncertainty)) STORED
) WITHOUT ROWID;
CREATE TABLE outcomes (
    item TEXT NOT NULL, annotator TEXT NOT NULL, outcome TEXT NOT NULL, time TEXT NOT NULL,
    checksum INTEGER NOT NULL GENERATED ALWAYS AS (row_checksum(item, annotator, outcome, time)) STORED,
    PRIMARY KEY (item, annotator)
) WITHOUT ROWID;
-- Decisions are only ever added.
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are not changed'); END;
CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are kept'); END;
"""
# The columns of version 1, which had no checksums.
_FIRST_TABLES = {
    "meta": "name, value",
    "samples": "position, id, record",
    "items": "position, id, sample, turn",
    "annotators": "position, name, role, token",
    "openings": "item, stage, wanted, taken",
    "assignments": "position, item, stage, annotator, state, time",
    "states": "item, stage, owner, version, shown, work",
    "decisions": "number, item, stage, owner, annotator, time, action, before, after, request, version, parent",
    "suggestions": "item, record, uncertainty",
    "outcomes": "item, annotator, outcome, time",
}


def row_checksum(*values: object) -> int:
    """CRC-32 of the values of a row, each with its type and its length."""
    return zlib.crc32(msgspec.msgpack.encode(values))


def connect(path: object) -> sqlite3.Connection:
    """A connection that can write rows with their checksums."""
    connection = sqlite3.connect(str(path), timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)
    return connection


def create(connection: sqlite3.Connection) -> None:
    """Make the tables; inside of a transaction they are there with the rest of it, or not at all."""
    for statement in _statements(_SCHEMA):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def upgrade(connection: sqlite3.Connection) -> None:
    """Give the rows of version 1 checksums, in one transaction; another process may have done so meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA user_version").fetchone() == (1,):
            for kind in ("trigger", "index"):
                named = "SELECT name FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL"
                for (name,) in connection.execute(named, (kind,)).fetchall():
                    connection.execute(f'DROP {kind} "{name}"')
            for table in _FIRST_TABLES:
                connection.execute(f"ALTER TABLE {table} RENAME TO {table}_1")
            create(connection)
            for table, columns in _FIRST_TABLES.items():
                connection.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table}_1")
                connection.execute(f"DROP TABLE {table}_1")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """`executescript` would end the transaction."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


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
    except FAULTS as error:
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
    except FAULTS as error:
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
        except FAULTS as error:
            yield Damage(str(error), table)


def _is_whole(values: list[object], checksum: object) -> bool:
    try:
        return row_checksum(*values) == checksum
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
    connection = connect(":memory:")
    create(connection)
    return connection

"""The tables of a project's file; each row has a checksum, which SQLite computes whenever the row is written."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator

import msgspec

__all__ = ["APPLICATION", "FAULTS", "VERSION", "connect", "create", "row_checksum", "upgrade"]

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

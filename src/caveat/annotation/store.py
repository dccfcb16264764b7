"""A project's file: one SQLite database in which a decision is on disk before it is acknowledged."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from caveat.core.errors import CaveatError, InputError
from caveat.core.files import PathLike

__all__ = ["Store"]

_VERSION = 1
# `application_id` of the file: which tells it from other databases ("CAVT" as a number).
_APPLICATION = 0x43415654
# How long a writer waits for those of other processes; a write takes milliseconds.
_PATIENCE = 120.0

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE samples (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, record BLOB NOT NULL);
CREATE TABLE items (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, sample TEXT NOT NULL, turn INTEGER NOT NULL);
CREATE INDEX items_of_sample ON items (sample);
CREATE TABLE annotators (
    position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL, token TEXT NOT NULL UNIQUE
);
-- How many people an item wants in a stage, and how many have it.
CREATE TABLE openings (
    item TEXT NOT NULL, stage TEXT NOT NULL, wanted INTEGER NOT NULL, taken INTEGER NOT NULL, PRIMARY KEY (item, stage)
) WITHOUT ROWID;
CREATE TABLE assignments (
    position INTEGER PRIMARY KEY, item TEXT NOT NULL, stage TEXT NOT NULL, annotator TEXT NOT NULL, state TEXT NOT NULL,
    time TEXT NOT NULL, UNIQUE (item, stage, annotator)
);
CREATE INDEX assignments_of ON assignments (annotator, state);
-- What each has on each item now; a decision is what led there, and `shown` the one whose work that is.
CREATE TABLE states (
    item TEXT NOT NULL, stage TEXT NOT NULL, owner TEXT NOT NULL, version INTEGER NOT NULL, shown INTEGER NOT NULL,
    work BLOB, PRIMARY KEY (item, stage, owner)
) WITHOUT ROWID;
CREATE TABLE decisions (
    number INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL, stage TEXT NOT NULL, owner TEXT NOT NULL,
    annotator TEXT NOT NULL, time TEXT NOT NULL, action TEXT NOT NULL, before BLOB, after BLOB, request TEXT NOT NULL,
    version INTEGER NOT NULL, parent INTEGER NOT NULL, UNIQUE (item, stage, annotator, request)
);
CREATE INDEX decisions_of ON decisions (item, stage, owner, parent);
CREATE TABLE suggestions (item TEXT PRIMARY KEY, record BLOB NOT NULL, uncertainty REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE outcomes (
    item TEXT NOT NULL, annotator TEXT NOT NULL, outcome TEXT NOT NULL, time TEXT NOT NULL,
    PRIMARY KEY (item, annotator)
) WITHOUT ROWID;
-- Decisions are only ever added.
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are not changed'); END;
CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are kept'); END;
"""


class Store:
    """One connection behind a lock: threads take turns, other processes wait."""

    def __init__(self, path: PathLike, connection: sqlite3.Connection) -> None:
        self.path = Path(path)
        self._connection = connection
        self._lock = threading.RLock()
        # WAL with FULL: a commit waits for the disk, so that what was acknowledged outlives a power cut.
        connection.execute("PRAGMA synchronous = FULL")

    @classmethod
    def new(cls, path: PathLike) -> Store:
        """An empty file; one that is there already is not touched."""
        try:
            Path(path).touch(exist_ok=False)
        except FileExistsError:
            raise InputError("is there already: a project needs a new file", path=path) from None
        except OSError as error:
            raise InputError(
                f"cannot be made: {(error.strerror or str(error)).lower()}", path=path
            ) from error
        store = cls(path, _connect(path))
        try:
            store._connection.execute("PRAGMA journal_mode = WAL")
            with store.writing() as database:
                for statement in _statements(_SCHEMA):
                    database.execute(statement)
                database.execute(f"PRAGMA application_id = {_APPLICATION}")
                database.execute(f"PRAGMA user_version = {_VERSION}")
        except BaseException:
            store.remove()
            raise
        return store

    @classmethod
    def open(cls, path: PathLike) -> Store:
        """The file of a project."""
        if not Path(path).is_file():
            raise InputError("is not there, or no file; `caveat annotate new` makes a project", path=path)
        connection = _connect(path)
        try:
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
        except sqlite3.DatabaseError as error:
            connection.close()
            raise InputError(f"is no project of `caveat annotate`: {error}", path=path) from None
        if application != _APPLICATION:
            connection.close()
            raise InputError("is no project of `caveat annotate`", path=path)
        if version != _VERSION:
            connection.close()
            raise InputError(f"is of version {version}; this program reads version {_VERSION}", path=path)
        return cls(path, connection)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The database as it is at one moment."""
        with self._turn("BEGIN") as database:
            yield database

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All that is written inside is on disk when this ends, or none of it."""
        # IMMEDIATE: a reader that becomes a writer may find the file changed under it, and cannot wait.
        with self._turn("BEGIN IMMEDIATE") as database:
            yield database

    @contextmanager
    def _turn(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._connection.execute(begin)
                try:
                    yield self._connection
                except BaseException:
                    self._connection.execute("ROLLBACK")
                    raise
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise CaveatError(f"{self.path}: {error}") from error

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._connection.close()

    def remove(self) -> None:
        """Take a file away that did not become a project."""
        self.close()
        for ending in ("", "-wal", "-shm"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)


def _connect(path: PathLike) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)


def _statements(script: str) -> Iterator[str]:
    """`executescript` would end the transaction."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""

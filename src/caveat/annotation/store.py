"""A project's file: one SQLite database in which a decision is on disk before it is acknowledged."""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from caveat.annotation import schema
from caveat.annotation.schema import Damage, find_damage
from caveat.core.errors import CaveatError, InputError
from caveat.core.files import PathLike, reason_of_system
from caveat.core.part_files import locked

__all__ = ["Store", "damage_of"]

_UNFINISHED = "is a project that was never finished: `caveat annotate new` makes it anew"
# Files that SQLite has beside a database while it is in use.
_BESIDE = ("-wal", "-shm", "-journal")
_FULL = "the disk is full: nothing of this was kept, and all that was saved before is there"


class Store:
    """One connection behind a lock: threads take turns, other processes wait."""

    def __init__(self, path: PathLike, connection: sqlite3.Connection) -> None:
        self.path = Path(path)
        self._connection = connection
        self._lock = threading.RLock()
        # WAL with FULL: a commit waits for the disk, so that what was acknowledged outlives a power cut.
        connection.execute("PRAGMA synchronous = FULL")

    @classmethod
    def new(cls, path: PathLike, fill: Callable[[sqlite3.Connection], None]) -> Store:
        """A file with what `fill` writes, complete or not at all; one that is there already is not touched."""
        path = Path(path)
        _refuse_existing(path)
        part = path.with_name(f".{path.name[:40]}.{zlib.crc32(os.fsencode(path.name)):08x}.part")
        try:
            part.touch()
            with locked(part):
                try:
                    # Who had it until now may have made the project of it.
                    _refuse_existing(path)
                    _build(part, fill)
                    _refuse_existing(path)
                    _put_in_place(part, path)
                finally:
                    _remove(part)
        except OSError as error:
            raise InputError(f"cannot be made: {reason_of_system(error)}", path=path) from error
        except schema.FAULTS as error:
            raise _failed(path, error) from error
        return cls.open(path)

    @classmethod
    def open(cls, path: PathLike) -> Store:
        """The file of a project, every row of which is as it was written."""
        connection = _open(path)
        try:
            damage = find_damage(connection)
            if damage:
                more = f", and {len(damage) - 1} more" if len(damage) > 1 else ""
                raise InputError(
                    f"is damaged ({damage[0]}{more}); `caveat annotate verify` lists what is, "
                    "and a copy of before has to take its place",
                    path=path,
                )
            return cls(path, connection)
        except schema.FAULTS as error:
            connection.close()
            raise _failed(path, error) from error
        except BaseException:
            connection.close()
            raise

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
                yield self._connection
                self._connection.execute("COMMIT")
            except schema.FAULTS as error:
                raise _failed(self.path, error) from error
            finally:
                # SQLite itself has ended the transaction where the disk is full.
                if self._connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._connection.close()


def damage_of(path: PathLike) -> list[Damage]:
    """What is damaged in the file of a project; raises where it is none."""
    connection = _open(path)
    try:
        return find_damage(connection)
    finally:
        connection.close()


def _open(path: PathLike) -> sqlite3.Connection:
    """A connection to the file of a project, in the present layout."""
    if not Path(path).is_file():
        raise InputError("is not there, or no file; `caveat annotate new` makes a project", path=path)
    if _is_unfinished(Path(path)):
        raise InputError(_UNFINISHED, path=path)
    connection = schema.connect(path)
    try:
        version = _version(connection, path)
        if version == 1:
            _upgrade(connection, path)
        elif version != schema.VERSION:
            raise InputError(
                f"is of version {version}; this program reads version {schema.VERSION}", path=path
            )
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection, path: PathLike) -> int:
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except schema.FAULTS as error:
        raise InputError(f"is no project of `caveat annotate`, or damaged: {error}", path=path) from None
    if application != schema.APPLICATION:
        raise InputError("is no project of `caveat annotate`", path=path)
    return int(version)


def _upgrade(connection: sqlite3.Connection, path: PathLike) -> None:
    """Checksums would make what is damaged already look whole: as much of that as can be told is told before."""
    try:
        wrong = [said for (said,) in connection.execute("PRAGMA integrity_check") if said != "ok"]
        if wrong:
            raise InputError(f"is damaged: {' '.join(wrong[0].split())}", path=path)
        schema.upgrade(connection)
    except schema.FAULTS as error:
        raise InputError(
            f"is of version 1 and cannot be brought to version {schema.VERSION}: {error}", path=path
        ) from error


def _build(part: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Make a whole project under the name of its part, over whatever a killed process has left of one."""
    for ending in _BESIDE:
        Path(f"{part}{ending}").unlink(missing_ok=True)
    os.truncate(part, 0)
    connection = schema.connect(part)
    try:
        # Nobody sees this file before it is complete and on disk.
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        schema.create(connection)
        fill(connection)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _put_in_place(part: Path, path: Path) -> None:
    """Give a complete file its name, on disk when this returns."""
    with open(part, "rb") as written:
        os.fsync(written.fileno())
    # What belonged to another database of this name would be read as part of this one.
    for ending in _BESIDE:
        Path(f"{path}{ending}").unlink(missing_ok=True)
    os.replace(part, path)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _remove(part: Path) -> None:
    for ending in ("", *_BESIDE):
        Path(f"{part}{ending}").unlink(missing_ok=True)


def _refuse_existing(path: Path) -> None:
    """Only what a killed `new` of an earlier version has left may be replaced."""
    if path.exists() and not (path.is_file() and _is_unfinished(path)):
        raise InputError("is there already: a project needs a new file", path=path)


def _is_unfinished(path: Path) -> bool:
    """Whether a file is what an earlier version left when it was killed: the tables of a project without a row."""
    connection = schema.connect(path)
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        counts = "SELECT (SELECT COUNT(*) FROM meta), (SELECT COUNT(*) FROM samples)"
        return bool(application == schema.APPLICATION and connection.execute(counts).fetchone() == (0, 0))
    except schema.FAULTS:
        return False
    finally:
        connection.close()


def _failed(path: Path | str, error: Exception) -> CaveatError:
    full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return CaveatError(f"{path}: {_FULL if full else error}")

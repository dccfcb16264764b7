"""Decisions: each is added, none is changed; undoing is one more, and what is shown is the work of one of them.

A new work comes after the one that was shown (its parent), so that works are a tree: undo goes to the parent, redo to
the youngest child, and whatever was left on a side branch is still there.
"""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from caveat.annotation.records import Action, Decision, Saved, Work
from caveat.annotation.schema import decoded_row

__all__ = [
    "Current",
    "Whose",
    "add",
    "answered",
    "child",
    "current",
    "decide",
    "decisions",
    "decoded",
    "now",
    "parent",
    "show",
]


class Whose(NamedTuple):
    """Whose work on which item: an owner is an annotator, or nobody for what is decided between them."""

    item: str
    stage: str
    owner: str


class Current(NamedTuple):
    """What is shown now: its version, the decision that it is the work of, and the work."""

    version: int = 0
    shown: int = 0
    work: Work | None = None


# The parent of a decision that is no new work.
_NONE = -1


def current(database: sqlite3.Connection, whose: Whose) -> Current:
    """What is shown now."""
    found = database.execute(
        "SELECT version, shown, work FROM states WHERE item = ? AND stage = ? AND owner = ?", whose
    ).fetchone()
    return Current() if found is None else Current(found[0], found[1], decoded(found[2]))


def answered(database: sqlite3.Connection, whose: Whose, annotator: str, request: str) -> Saved | None:
    """What a request that has come before was answered with."""
    found = database.execute(
        "SELECT version, after FROM decisions WHERE item = ? AND stage = ? AND annotator = ? AND request = ?",
        (whose.item, whose.stage, annotator, request),
    ).fetchone()
    return None if found is None else Saved(found[0], decoded(found[1]))


def decide(
    database: sqlite3.Connection, whose: Whose, annotator: str, work: Work, before: Current, request: str
) -> Saved:
    """A new work, after the one that was shown."""
    version = before.version + 1
    number = add(database, whose, annotator, "save", (before.work, work), request, version, before.shown)
    _show(database, whose, version, number, work)
    return Saved(version, work)


def show(
    database: sqlite3.Connection,
    whose: Whose,
    annotator: str,
    action: Action,
    number: int,
    before: Current,
    request: str,
) -> Saved:
    """The work of another decision again; 0: none, as in the beginning."""
    found = database.execute("SELECT after FROM decisions WHERE number = ?", (number,)).fetchone()
    work = decoded(found[0]) if found else None
    version = before.version + 1
    add(database, whose, annotator, action, (before.work, work), request, version)
    _show(database, whose, version, number, work)
    return Saved(version, work)


def _show(database: sqlite3.Connection, whose: Whose, version: int, number: int, work: Work | None) -> None:
    database.execute(
        "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?, ?, ?)", (*whose, version, number, _encoded(work))
    )


def add(
    database: sqlite3.Connection,
    whose: Whose,
    annotator: str,
    action: Action,
    change: tuple[Work | None, Work | None],
    request: str,
    version: int,
    parent: int = _NONE,
) -> int:
    """Write a decision down; its number."""
    before, after = change
    written = database.execute(
        "INSERT INTO decisions (item, stage, owner, annotator, time, action, before, after, request, version, parent)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*whose, annotator, now(), action, _encoded(before), _encoded(after), request, version, parent),
    )
    return int(written.lastrowid or 0)


def parent(database: sqlite3.Connection, whose: Whose, shown: int) -> int | None:
    """The decision that undo goes to; None at the beginning."""
    found = database.execute("SELECT parent FROM decisions WHERE number = ?", (shown,)).fetchone()
    return None if found is None else int(found[0])


def child(database: sqlite3.Connection, whose: Whose, shown: int) -> int | None:
    """The decision that redo goes to; None where nothing was undone."""
    (found,) = database.execute(
        "SELECT MAX(number) FROM decisions WHERE item = ? AND stage = ? AND owner = ? AND parent = ?",
        (*whose, shown),
    ).fetchone()
    return None if found is None else int(found)


def decisions(database: sqlite3.Connection, item: str | None, annotator: str | None) -> list[Decision]:
    """Every decision, or those on one item or of one annotator, in the order in which they were taken."""
    rows = database.execute(
        "SELECT number, item, annotator, stage, time, action, before, after, request FROM decisions"
        " WHERE (?1 IS NULL OR item = ?1) AND (?2 IS NULL OR annotator = ?2) ORDER BY number",
        (item, annotator),
    )
    return [
        Decision(number, item, annotator, stage, time, action, decoded(before), decoded(after), request)
        for number, item, annotator, stage, time, action, before, after, request in rows
    ]


def _encoded(work: Work | None) -> bytes | None:
    return None if work is None else msgspec.json.encode(work)


def decoded(raw: bytes | None) -> Work | None:
    """A work as it is kept."""
    return None if raw is None else decoded_row(raw, Work)


def now() -> str:
    """The time of a decision."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")

"""Who annotates: names, roles, and tokens of which only the hash is kept."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3

from caveat.annotation.records import Annotator, Role
from caveat.core.errors import UsageError

__all__ = ["add", "everyone", "known", "new_token", "role_of", "with_token"]


def add(database: sqlite3.Connection, name: str, role: Role) -> str:
    """Add someone, who must be new; their token."""
    if not name.strip() or name != name.strip():
        raise UsageError("An annotator's name is a word or two, without blanks around them.")
    if known(database, name):
        raise UsageError(f"There is an annotator {name!r} already.")
    token = secrets.token_urlsafe(24)
    database.execute(
        "INSERT INTO annotators (name, role, token) VALUES (?, ?, ?)", (name, role, _hash(token))
    )
    return token


def known(database: sqlite3.Connection, name: str) -> bool:
    """Whether there is someone of that name."""
    return database.execute("SELECT 1 FROM annotators WHERE name = ?", (name,)).fetchone() is not None


def new_token(database: sqlite3.Connection, name: str) -> str:
    """Another token; the old one no longer holds."""
    role_of(database, name)
    token = secrets.token_urlsafe(24)
    database.execute("UPDATE annotators SET token = ? WHERE name = ?", (_hash(token), name))
    return token


def with_token(database: sqlite3.Connection, token: str) -> Annotator | None:
    """Who has this token."""
    found = database.execute("SELECT name, role FROM annotators WHERE token = ?", (_hash(token),)).fetchone()
    return None if found is None else Annotator(*found)


def everyone(database: sqlite3.Connection) -> tuple[Annotator, ...]:
    """All, in the order in which they came."""
    rows = database.execute("SELECT name, role FROM annotators ORDER BY position")
    return tuple(Annotator(name, role) for name, role in rows)


def role_of(database: sqlite3.Connection, name: str) -> Role:
    """The role of someone, who must be there."""
    found = database.execute("SELECT role FROM annotators WHERE name = ?", (name,)).fetchone()
    if found is None:
        raise UsageError(f"There is no annotator {name!r}.")
    role: Role = found[0]
    return role


def _hash(token: str) -> str:
    # Tokens are 192 random bits: there is nothing to guess, and no salt is needed.
    return hashlib.sha256(token.encode()).hexdigest()

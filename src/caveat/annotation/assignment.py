"""Who annotates, by tokens of which only the hash is kept, and who works on what: as many people an item as its stage
wants, and nobody on the same item twice.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
from collections.abc import Sequence
from typing import Literal

from caveat.annotation.records import Annotator, Role, Sample, Stage, Task
from caveat.core.errors import UsageError


def add_annotator(database: sqlite3.Connection, name: str, role: Role) -> str:
    """Add someone, who must be new; their token."""
    if not name.strip() or name != name.strip():
        raise UsageError("An annotator's name is a word or two, without blanks around them.")
    if is_annotator(database, name):
        raise UsageError(f"There is an annotator {name!r} already.")
    token = secrets.token_urlsafe(24)
    database.execute(
        "INSERT INTO annotators (name, role, token) VALUES (?, ?, ?)", (name, role, _hash(token))
    )
    return token


def is_annotator(database: sqlite3.Connection, name: str) -> bool:
    """Whether there is someone of that name."""
    return database.execute("SELECT 1 FROM annotators WHERE name = ?", (name,)).fetchone() is not None


def renew_token(database: sqlite3.Connection, name: str) -> str:
    """Another token; the old one no longer holds."""
    role_of(database, name)
    token = secrets.token_urlsafe(24)
    database.execute("UPDATE annotators SET token = ? WHERE name = ?", (_hash(token), name))
    return token


def annotator_with(database: sqlite3.Connection, token: str) -> Annotator | None:
    """Who has this token."""
    found = database.execute("SELECT name, role FROM annotators WHERE token = ?", (_hash(token),)).fetchone()
    return None if found is None else Annotator(*found)


def annotators(database: sqlite3.Connection) -> tuple[Annotator, ...]:
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


Order = Literal["order", "uncertainty"]

_CLAIMABLE = """
    FROM openings JOIN items ON items.id = openings.item LEFT JOIN suggestions ON suggestions.item = openings.item
    WHERE openings.taken < openings.wanted AND NOT EXISTS (
        SELECT 1 FROM assignments WHERE assignments.item = openings.item AND assignments.annotator = ?
    )
"""
_ORDERS: dict[Order, str] = {
    "order": "items.position",
    # What no model has seen comes last.
    "uncertainty": "suggestions.uncertainty IS NULL, suggestions.uncertainty DESC, items.position",
}


def applicable(task: Task, sample: Sample) -> tuple[Stage, ...]:
    """The stages that a sample goes through; where it brings its question, nobody writes or revises one."""
    if sample.question is not None:
        stages = [stage for stage in task.stages if not stage.writes_question]
    else:
        stages = [stage for stage in task.stages if not stage.splits or sample.split in stage.splits]
    # Of one answer there is nothing to unite.
    alone = all(stage.annotators < 2 for stage in stages)
    return tuple(stage for stage in stages if not (alone and stage.sees == "union"))


def following(stages: Sequence[Stage], name: str) -> Stage | None:
    """The stage after this one."""
    names = [stage.name for stage in stages]
    place = names.index(name) + 1
    return stages[place] if place < len(stages) else None


def stage_before(stages: Sequence[Stage], name: str) -> Stage | None:
    """The stage before this one."""
    place = [stage.name for stage in stages].index(name)
    return stages[place - 1] if place else None


def open_stage(database: sqlite3.Connection, item: str, stage: Stage) -> None:
    """Let people take the item in this stage; it may be open already."""
    database.execute(
        "INSERT OR IGNORE INTO openings VALUES (?, ?, ?, 0)", (item, stage.name, stage.annotators)
    )


def claim(database: sqlite3.Connection, annotator: str, count: int, time: str, by: Order = "order") -> None:
    """Give someone up to so many of the items that want people and that they have never worked on."""
    found = database.execute(
        f"SELECT openings.item, openings.stage {_CLAIMABLE} ORDER BY {_ORDERS[by]} LIMIT ?",
        (annotator, count),
    ).fetchall()
    taken: set[str] = set()
    for item, stage in found:
        if item not in taken:  # an item may be open in two stages
            taken.add(item)
            take(database, item, stage, annotator, time)


def least_certain(database: sqlite3.Connection, annotator: str) -> float | None:
    """How unsure a model is of the item that it is least sure of, among those that someone could get."""
    (found,) = database.execute(f"SELECT MAX(suggestions.uncertainty) {_CLAIMABLE}", (annotator,)).fetchone()
    return None if found is None else float(found)


def take(database: sqlite3.Connection, item: str, stage: str, annotator: str, time: str) -> None:
    """Give someone this item."""
    database.execute("UPDATE openings SET taken = taken + 1 WHERE item = ? AND stage = ?", (item, stage))
    database.execute(
        "INSERT INTO assignments (item, stage, annotator, state, time) VALUES (?, ?, ?, 'open', ?)",
        (item, stage, annotator, time),
    )


def give(database: sqlite3.Connection, item: str, stage: str, annotator: str, time: str) -> None:
    """Give someone this item whether or not it wants more people; they may have it already."""
    if database.execute(
        "SELECT 1 FROM assignments WHERE item = ? AND stage = ? AND annotator = ?", (item, stage, annotator)
    ).fetchone():
        return
    take(database, item, stage, annotator, time)
    database.execute(
        "UPDATE openings SET wanted = MAX(wanted, taken) WHERE item = ? AND stage = ?", (item, stage)
    )


def release(database: sqlite3.Connection, annotator: str) -> int:
    """Take back what someone has not begun; how many items that is."""
    found = database.execute(
        "SELECT item, stage FROM assignments WHERE annotator = ? AND state = 'open'", (annotator,)
    ).fetchall()
    database.executemany("UPDATE openings SET taken = taken - 1 WHERE item = ? AND stage = ?", found)
    database.execute("DELETE FROM assignments WHERE annotator = ? AND state = 'open'", (annotator,))
    return len(found)

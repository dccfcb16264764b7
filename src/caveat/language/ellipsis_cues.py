"""What tells an elliptical follow-up, and the kinds of things that replace each other: `ellipsis.toml`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import msgspec


class Kind(msgspec.Struct, frozen=True):
    """A kind of thing, as each language says it."""

    english: str
    chinese: str
    preposition: str


class English(msgspec.Struct, frozen=True):
    openings: str
    suppositions: str
    adverbs: str
    wh: str
    measures: str
    adjectives: str
    first_person: str
    most_words: int


class Chinese(msgspec.Struct, frozen=True):
    openings: str
    suppositions: str
    ending: str
    first_person: str
    asking: str
    prepositions: str
    bounds: str
    verbs: str
    most_characters: int


class Cues(msgspec.Struct, frozen=True):
    kinds: tuple[Kind, ...]
    english: English
    chinese: Chinese


@cache
def cues() -> Cues:
    """What `ellipsis.toml` has."""
    return msgspec.toml.decode((files(__package__) / "ellipsis.toml").read_bytes(), type=Cues)


@cache
def pattern(*alternatives: str) -> re.Pattern[str]:
    """One of several expressions, in capitals or not."""
    return re.compile("|".join(alternatives), re.IGNORECASE)


def last_of(expression: re.Pattern[str], text: str) -> tuple[int, int] | None:
    """Where the last of what an expression finds stands."""
    return max((found.span() for found in expression.finditer(text)), default=None)

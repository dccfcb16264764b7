"""A question that is only begun, as people ask in conversation, completed by the one before it.

"How long does the crossing take in summer?" – "And in winter?" asks how long the crossing takes in winter. What is
said takes the place of a part of its own kind, of one with the same preposition, or of the phrase that it is most
like; where there is none, it is added. What cannot be told stays as it was asked. The words that tell are in the file
`ellipsis.toml`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from caveat.core.languages import language_of
from caveat.language.packs import pack

_END = re.compile(r"[\s?？.!。！]+$")


class Completed(NamedTuple):
    """A whole question, and what is supposed of the asker: "What if I am 70?"."""

    question: str
    told: str = ""


def completed(line: str, before: str) -> Completed | None:
    """The whole question that a line asks after another one; None where it stands by itself."""
    line, before = (_END.sub("", " ".join(text.split())) for text in (line, before))
    language = language_of(line)
    if not before or language != language_of(before):
        return None
    own = pack(language)
    whole = own.load(own.completion)
    found = None if whole is None else whole(line, before)
    return None if found is None else Completed(found[0] + own.question_mark, found[1])


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

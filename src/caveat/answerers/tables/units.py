"""A text in units that are compared: stems of words, numbers, single Chinese characters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from caveat.language.dates import MONTHS
from caveat.language.script import HAN
from caveat.language.stems import root

__all__ = ["WORD", "Unit", "fold", "is_han_unit", "stem", "stems_of", "units"]


class Unit(NamedTuple):
    """A word's stem, a number or a character, and its half-open span in the folded text."""

    stem: str
    start: int
    end: int


# Letters with digits are one word (N37, 3a), and so is a number with its separators.
WORD = re.compile(rf"[{HAN}]|\d+(?:[.,:]\d+)+(?![^\W_])|[^\W_{HAN}]+(?:'[^\W\d_{HAN}]+)?")
_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_HAN_CHARACTER = re.compile(f"[{HAN}]")
_IRREGULAR = {
    "won": "win",
    "lost": "los",
    "loser": "los",
    "wrote": "writ",
    "written": "writ",
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "feet": "foot",
    "held": "hold",
    "built": "build",
    "took": "tak",
    "taken": "tak",
    "led": "lead",
    "sold": "sell",
    "spoken": "speak",
    "series": "series",
    "species": "species",
}


def fold(text: str) -> str:
    """The text in lower case, without accents, full-width letters as plain ones; line ends stay where they are."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text).casefold()
    return text if text.isascii() else "".join(filter(_is_base, text)).replace("’", "'")


@lru_cache(maxsize=1 << 12)
def _is_base(character: str) -> bool:
    return not unicodedata.combining(character)


def units(folded: str) -> list[Unit]:
    """The units of a text that `fold` has been through."""
    return [Unit(stem(word[0]), word.start(), word.end()) for word in WORD.finditer(folded)]


@lru_cache(maxsize=1 << 15)
def stems_of(text: str) -> tuple[str, ...]:
    """The stems of a text, as it comes."""
    return tuple(unit.stem for unit in units(fold(text)))


def is_han_unit(unit: str) -> bool:
    """Whether a unit is a Chinese character."""
    return len(unit) == 1 and _HAN_CHARACTER.match(unit) is not None


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A folded word without the endings of its grammar: games and game, scored and scoring, April and Apr are one."""
    if word[0].isdecimal():
        return _SEPARATOR.sub("", word) if "," in word else word
    if not word.isascii():
        return word
    word = word.removesuffix("'s").replace("'", "")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in MONTHS:
        return word[:3]
    return root(word)

"""A text in tokens that are compared: stems of words, numbers, single Chinese characters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from caveat.core.cache import cache_short
from caveat.core.languages import HAN
from caveat.core.languages import is_han as is_ideograph
from caveat.language.dates import MONTHS
from caveat.language.simplify import simplify
from caveat.language.stems import root


class Token(NamedTuple):
    """A word's stem, a number or a character, and its half-open span in the folded text."""

    stem: str
    start: int
    end: int


# Letters with digits are one word (N37, 3a), and so is a number with its separators.
WORD = re.compile(rf"[{HAN}]|\d+(?:[.,:]\d+)+(?![^\W_])|[^\W_{HAN}]+(?:'[^\W\d_{HAN}]+)?")
_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_HAN_CHARACTER = re.compile(f"[{HAN}]")
# provinceCode is two words; iPhone is one.
_HUMP = re.compile(r"(?<=[a-z][a-z])(?=[A-Z])")
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
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "vying": "vie",
    "series": "series",
    "species": "species",
}


class _Simple(dict[int, str]):
    """Each character in Simplified script, found when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        simple = simplify(character).text if is_ideograph(character) else character
        self[code] = simple if len(simple) == 1 else character
        return self[code]


_SIMPLE = _Simple()


def fold(text: str) -> str:
    """The text in lower case, without accents, full-width letters as plain ones, Traditional characters as Simplified
    ones; line ends stay where they are."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text).casefold()
    if text.isascii():
        return text
    return "".join(filter(_is_base, text)).replace("’", "'").translate(_SIMPLE)


@lru_cache(maxsize=1 << 12)
def _is_base(character: str) -> bool:
    return not unicodedata.combining(character)


def tokens(folded: str) -> list[Token]:
    """The tokens of a text that `fold` has been through."""
    return [Token(stem(word[0]), word.start(), word.end()) for word in WORD.finditer(folded)]


@cache_short(1 << 14)
def stems_of(text: str) -> tuple[str, ...]:
    """The stems of a text, as it comes."""
    return tuple(token.stem for token in tokens(fold(text)))


def parted(text: str) -> str:
    """The text with a blank between words of a name that has none: province Code."""
    return _HUMP.sub(" ", text)


def name_stems(name: str) -> tuple[str, ...]:
    """The stems of a column's name, of which the words may stand without blanks: provinceCode, gdp_2007."""
    return stems_of(parted(name))


def is_han(token: str) -> bool:
    """Whether a token is a Chinese character."""
    return len(token) == 1 and _HAN_CHARACTER.match(token) is not None


@cache_short(1 << 15)
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


def beginnings(stem: str) -> tuple[str, ...]:
    """Patterns of how the words of a stem begin, as far as they are all alike."""
    if stem[0].isdecimal():
        # 1115 may be written 1,115.
        return (",?".join(stem) if len(stem) > 3 and stem.isdecimal() else re.escape(stem),)
    # The last letter may have changed (countries, using), or an apostrophe may stand before it (don't).
    begin = stem[:-1] if len(stem) > 3 or (len(stem) == 3 and stem[-1] in "eiy") else stem
    apostrophe = (f"{stem[0]}'{begin[1:]}",) if len(stem) > 2 else ()
    irregular = (word for word, other in _IRREGULAR.items() if other == stem and not word.startswith(begin))
    return (*map(re.escape, (begin, *apostrophe)), *irregular)

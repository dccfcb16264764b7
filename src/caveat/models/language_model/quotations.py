"""Where a quotation stands in a text: as it is, else without regard to case, blanks, widths and kinds of marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»「」『』‘’‚‛`´＂＇", "'"),
        '"': "'",
        **dict.fromkeys("‐‑‒–—―−－", "-"),
        "…": "...",
    }
)
# What models put around a quotation, or leave standing behind it.
_AROUND = " \t\r\n'\"“”‘’「」『』«»,;:.!?，。；：！？、…"
_WORD = re.compile(r"[^\W_]")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


def find_quotation(quotation: str, text: str) -> tuple[int, int] | None:
    """The half-open place of a quotation in a text, the first where there are several.

    Exactly as quoted, else as quoted without marks around it, else normalised; never within a word, and None where it
    does not stand there.
    """
    bare = quotation.strip().strip(_AROUND).strip()
    if not bare:
        return None
    for places in (_exact(quotation.strip(), text), _exact(bare, text), _normalised(bare, text)):
        if (found := next(places, None)) is not None:
            return found
    return None


def _exact(quotation: str, text: str) -> Iterator[tuple[int, int]]:
    at = text.find(quotation)
    while at >= 0:
        if _whole_words(text, at, at + len(quotation)):
            yield at, at + len(quotation)
        at = text.find(quotation, at + 1)


def _normalised(quotation: str, text: str) -> Iterator[tuple[int, int]]:
    wanted, _ = _folded(quotation)
    if not wanted:
        return
    folded, places = _folded(text)
    at = folded.find(wanted)
    while at >= 0:
        start, end = places[at], places[at + len(wanted) - 1] + 1
        if _whole_words(text, start, end):
            yield start, end
        at = folded.find(wanted, at + 1)


def _folded(text: str) -> tuple[str, list[int]]:
    """The text with all that does not count made alike or left out, and where each of its characters comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        alike = unicodedata.normalize("NFKC", character.translate(_ALIKE)).casefold().translate(_ALIKE)
        for each in alike:
            if not each.isspace() and unicodedata.category(each) != "Cf":
                characters.append(each)
                places.append(place)
    return "".join(characters), places


def _whole_words(text: str, start: int, end: int) -> bool:
    """Whether neither end is in the middle of a word or number; ideographs have no such middle."""

    def joined(at: int) -> bool:
        if not 0 < at < len(text):
            return False
        before, after = text[at - 1], text[at]
        if not _WORD.match(before) or not _WORD.match(after):
            return False
        return not _IDEOGRAPH.match(before) and not _IDEOGRAPH.match(after)

    return not joined(start) and not joined(end)

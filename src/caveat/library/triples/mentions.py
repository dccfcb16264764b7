"""Finding the names of an index in a question: every stretch of it is looked up at once, by its hash."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

import msgspec
import numpy as np
import numpy.typing as npt

from caveat.library.triples.folding import (
    FIRST_WIDE,
    Counts,
    Folded,
    Hashes,
    Substrings,
    fold,
    hash_codes,
)
from caveat.library.triples.layout import MappedFile
from caveat.library.triples.merging import LONGEST_MISSPELT, SHORTEST_MISSPELT, typo_keys
from caveat.library.triples.names import QUOTES, is_slip

_LOW_HALF = np.uint64(0xFFFF_FFFF)
# What more names than these leave behind, one character taken out, does not tell which was meant.
_MOST_MEANT = 64


class NameTable:
    """Folded names by number, and the numbers of the entities that each can mean."""

    def __init__(self, file: MappedFile) -> None:
        self._file = file
        self._names = file.length("name_hash")

    def find(self, hashes: Hashes) -> Iterator[tuple[int, int]]:
        """Which of the hashes are those of names: their places in `hashes` and the names' numbers."""
        if not self._names:
            return
        at = self._file.search("name_hash", hashes)
        inside = np.flatnonzero(at < self._names)
        known = self._file.sorted_values("name_hash")
        for which in inside[known[at[inside]] == hashes[inside]].tolist():
            number = int(at[which])
            while self._file.equals("name_hash", number, hashes[which]):
                yield which, number
                number += 1

    def find_misspelt(self, hashes: Hashes) -> Iterator[tuple[int, int]]:
        """Which of the hashes may be those of names without one character; half of the hash tells."""
        keys, where = np.unique(typo_keys(hashes), return_inverse=True)
        low = self._file.search("typo", keys)
        high = self._file.search("typo", keys | _LOW_HALF, side="right")
        counts = (high - low)[where]
        for which in np.flatnonzero((counts > 0) & (counts <= _MOST_MEANT)).tolist():
            key = where[which]
            for number in (self._file.values("typo", int(low[key]), int(high[key])) & _LOW_HALF).tolist():
                yield which, number

    def text(self, number: int) -> str:
        """The folded name."""
        return self._file.bytes_of("name_text", *self._file.pair("name_folded", number)).decode()

    def entities(self, number: int) -> list[int]:
        """The numbers of the entities that it can mean, the likelier first."""
        entities: list[int] = self._file.values(
            "link_entity", *self._file.pair("name_links", number)
        ).tolist()
        return entities

    def number(self, folded: str) -> int | None:
        """The number of a folded name; None if there is none."""
        hashes = np.array([hash_codes(list(map(ord, folded)))])
        return next((number for _, number in self.find(hashes) if self.text(number) == folded), None)


_MOST_MISSPELT = 50

Flags = npt.NDArray[np.bool_]
EntityNames = Callable[[int], tuple[str, ...]]
"""The names of the entities that a name, by its number, can mean."""


class Mention(msgspec.Struct, frozen=True):
    """A stretch of a question that names something, and the entities that it can mean, the likelier first.

    `quoted` says that it stands alone in quotes or book marks, `misspelt` that it is a name but for one character.
    """

    text: str
    start: int
    end: int
    entities: tuple[str, ...]
    quoted: bool = False
    misspelt: bool = False


def find_mentions(question: str, names: NameTable, longest: int, entities: EntityNames) -> list[Mention]:
    """All names in a question, those inside longer ones too; the longest first, then from left to right."""
    folded = fold(question)
    starts, ends = _stretches(question, folded, 1, longest)
    whole = folded.text
    found = [
        (int(starts[which]), int(ends[which]), number)
        for which, number in names.find(Substrings(folded.codes).hashes(starts, ends))
        if (text := whole[starts[which] : ends[which]]) == names.text(number)
        and any(character.isalnum() for character in text)
    ]
    found.sort(key=lambda place: (place[0] - place[1], place[0]))
    return [
        _mention(question, folded, start, end, entities(number), misspelt=False)
        for start, end, number in found
    ]


def find_misspelt(question: str, names: NameTable, entities: EntityNames) -> list[Mention]:
    """The names that a question has but for one character, the longest first, and not more than are of use."""
    folded = fold(question)
    whole = folded.text
    found: dict[tuple[int, int, int], None] = {}
    for start, end, number in _alike(question, folded, names):
        if (start, end, number) not in found and is_slip(whole[start:end], names.text(number)):
            found[start, end, number] = None
    likely = sorted(found, key=lambda place: (place[0] - place[1], place[0], place[2]))[:_MOST_MISSPELT]
    return [
        _mention(question, folded, start, end, entities(number), misspelt=True)
        for start, end, number in likely
    ]


def _alike(question: str, folded: Folded, names: NameTable) -> Iterator[tuple[int, int, int]]:
    """Stretches that may be misspelt names: with a character left out of the one, the other, or both they are equal."""
    starts, ends = _stretches(question, folded, SHORTEST_MISSPELT - 1, LONGEST_MISSPELT + 1)
    hashes = Substrings(folded.codes)
    for which, number in names.find_misspelt(hashes.hashes(starts, ends)):
        yield int(starts[which]), int(ends[which]), number
    enough = ends - starts >= SHORTEST_MISSPELT
    starts, ends = starts[enough], ends[enough]
    often = ends - starts
    left_out = np.arange(often.sum()) - np.repeat(np.cumsum(often) - often, often)
    starts, ends = np.repeat(starts, often), np.repeat(ends, often)
    shorter = hashes.without(starts, ends, starts + left_out)
    for find in (names.find, names.find_misspelt):
        for which, number in find(shorter):
            yield int(starts[which]), int(ends[which]), number


def _stretches(question: str, folded: Folded, shortest: int, longest: int) -> tuple[Counts, Counts]:
    """Where names can begin and end: nowhere inside a word or a number, at no blank."""
    count = len(folded.codes)
    inside = _inside_words(question)
    blank = folded.codes == ord(" ")
    begins = np.flatnonzero(~inside[folded.origin] & ~blank)
    may_end = ~inside[_ends(question, folded)] & ~blank
    lengths = np.arange(shortest, min(longest, count) + 1)
    starts = np.repeat(begins, len(lengths))
    ends = starts + np.tile(lengths, len(begins))
    fits = ends <= count
    starts, ends = starts[fits], ends[fits]
    right = may_end[ends - 1]
    return starts[right], ends[right]


def _ends(question: str, folded: Folded) -> Counts:
    """Where the characters end that the folded ones came from, with the accents that may follow them."""
    ends = folded.origin + 1
    if any(map(unicodedata.combining, question)):
        for at, end in enumerate(ends.tolist()):
            while end < len(question) and unicodedata.combining(question[end]):
                end += 1
            ends[at] = end
    return ends


def _inside_words(question: str) -> Flags:
    """Whether the places before, between and after the characters are inside a word, of a script that has blanks."""
    word = np.zeros(len(question) + 2, dtype=bool)
    for at, character in enumerate(question, 1):
        word[at] = ord(character) < FIRST_WIDE and (
            character.isalnum() or bool(unicodedata.combining(character))
        )
    return word[:-1] & word[1:]


def _mention(
    question: str, folded: Folded, start: int, end: int, entities: tuple[str, ...], *, misspelt: bool
) -> Mention:
    first, last = int(folded.origin[start]), int(_ends(question, folded)[end - 1])
    text = question[first:last]
    before, after = question[:first].rstrip()[-1:], question[last:].lstrip()[:1]
    quoted = QUOTES.get(before) == after or QUOTES.get(text[0]) == text[-1]
    return Mention(text, first, last, entities, quoted, misspelt)

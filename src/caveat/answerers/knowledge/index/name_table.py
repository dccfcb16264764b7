"""The names of an index: looked up by hash, many at once, and compared as text before they count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caveat.answerers.knowledge.index.hashing import Hashes, hash_codes
from caveat.answerers.knowledge.index.layout import MappedFile
from caveat.answerers.knowledge.index.name_index import typo_keys

__all__ = ["NameTable"]

_LOW_HALF = np.uint64(0xFFFF_FFFF)
# A rest that so many names leave behind without one character tells nothing of which was meant.
_MOST_MEANT = 64


class NameTable:
    """Folded names by number, and the numbers of the entities that each can mean."""

    def __init__(self, file: MappedFile) -> None:
        self._file = file
        empty = np.zeros(0, dtype=np.uint64)
        self._hash: Hashes = file.arrays.get("name_hash", empty)
        self._typo: Hashes = file.arrays.get("typo", empty)

    def find(self, hashes: Hashes) -> Iterator[tuple[int, int]]:
        """Which of the hashes are those of names: their places in `hashes` and the names' numbers."""
        at = np.searchsorted(self._hash, hashes)
        inside = np.flatnonzero(at < len(self._hash))
        for which in inside[self._hash[at[inside]] == hashes[inside]].tolist():
            number = int(at[which])
            while number < len(self._hash) and self._hash[number] == hashes[which]:
                yield which, number
                number += 1

    def find_misspelt(self, hashes: Hashes) -> Iterator[tuple[int, int]]:
        """Which of the hashes may be those of names without one character; half of the hash tells."""
        keys, where = np.unique(typo_keys(hashes), return_inverse=True)
        low = np.searchsorted(self._typo, keys)
        high = np.searchsorted(self._typo, keys | _LOW_HALF, side="right")
        counts = (high - low)[where]
        for which in np.flatnonzero((counts > 0) & (counts <= _MOST_MEANT)).tolist():
            key = where[which]
            for number in (self._typo[low[key] : high[key]] & _LOW_HALF).tolist():
                yield which, number

    def text(self, number: int) -> str:
        """The folded name."""
        start, end = self._file.arrays["name_folded"][number : number + 2].tolist()
        return self._file.bytes_of("name_text", start, end).decode()

    def entities(self, number: int) -> list[int]:
        """The numbers of the entities that it can mean, the likelier first."""
        start, end = self._file.arrays["name_links"][number : number + 2].tolist()
        entities: list[int] = self._file.arrays["link_entity"][start:end].tolist()
        return entities

    def number(self, folded: str) -> int | None:
        """The number of a folded name; None if there is none."""
        hashes = np.array([hash_codes(list(map(ord, folded)))])
        return next((number for _, number in self.find(hashes) if self.text(number) == folded), None)

"""The third pass: every folded name once, with the entities that it can mean; and names with a character left out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from caveat.answerers.knowledge.index.entities import ALIAS
from caveat.answerers.knowledge.index.folding import Counts, code_points
from caveat.answerers.knowledge.index.hashing import Hashes, Substrings
from caveat.answerers.knowledge.index.layout import SectionWriter
from caveat.answerers.knowledge.index.runs import Rows, SortedRuns

__all__ = ["LONGEST_MISSPELT", "SHORTEST_MISSPELT", "TYPO_ROW", "NameMerge", "typo_keys", "write_typos"]

Flags = npt.NDArray[np.bool_]

TYPO_ROW = np.dtype([("hash", "<u8")])
SHORTEST_MISSPELT, LONGEST_MISSPELT = 3, 24

# A value that so many things have as an alias is a kind of thing, not a name.
_MOST_ALIASES = 64
_NAMES_AT_ONCE = 1 << 16


class NameMerge:
    """Writes the names of one range of hashes after the other, and lays down how they can be misspelt."""

    def __init__(self, names: SortedRuns, sections: SectionWriter, typos: SortedRuns) -> None:
        self._names_in, self._sections, self._typos = names, sections, typos
        self.names = self.longest = 0
        self._links = self._bytes = 0
        for offsets in ("name_folded", "name_links"):
            sections.append(offsets, np.zeros(1))

    def merge(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Write the names of these ranges; equal hashes are always in one."""
        for low, high in ranges:
            rows, starts, text = self._names_in.read(low, high)
            order = np.lexsort((rows["rank"], rows["entity"], rows["check"], rows["hash"]))
            rows, starts = rows[order], starts[order]
            once = np.ones(len(rows), dtype=bool)
            once[1:] = _differ(rows) | (rows["entity"][1:] != rows["entity"][:-1])
            rows, starts = rows[once], starts[once]
            order = np.lexsort((rows["entity"], rows["rank"], rows["check"], rows["hash"]))
            rows, starts = rows[order], starts[order]
            kept = _names_only(rows)
            if kept.any():
                self._write(rows[kept], starts[kept], text)

    def _write(self, rows: Rows, starts: Counts, text: bytes) -> None:
        first = _first(rows)
        ends = starts + rows["size"]
        pieces = [text[a:b] for a, b in zip(starts[first].tolist(), ends[first].tolist(), strict=True)]
        sizes = rows["size"][first].astype(np.int64)
        append = self._sections.append
        append("name_hash", rows["hash"][first])
        append("name_text", b"".join(pieces))
        append("name_folded", np.cumsum(sizes) + self._bytes)
        append("name_links", np.append(first[1:], len(rows)) + self._links)
        append("link_entity", rows["entity"])

        texts = [piece.decode() for piece in pieces]
        lengths = list(map(len, texts))
        self.longest = max(self.longest, *lengths)
        misspelt = [
            at for at, length in enumerate(lengths) if SHORTEST_MISSPELT <= length <= LONGEST_MISSPELT
        ]
        for begin in range(0, len(misspelt), _NAMES_AT_ONCE):
            numbers = misspelt[begin : begin + _NAMES_AT_ONCE]
            self._write_typos([texts[at] for at in numbers], np.array(numbers) + self.names)
        self.names += len(texts)
        self._links += len(rows)
        self._bytes += int(sizes.sum())

    def _write_typos(self, texts: list[str], numbers: Counts) -> None:
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        ends = np.repeat(np.cumsum(lengths), lengths)
        starts = ends - np.repeat(lengths, lengths)
        # Each name as often as it has characters, each time without another one.
        hashes = Substrings(code_points("".join(texts))).without(starts, ends, np.arange(len(ends)))
        rows = np.empty(len(ends), dtype=TYPO_ROW)
        rows["hash"] = typo_keys(hashes) | np.repeat(numbers, lengths).astype(np.uint64)
        self._typos.add(rows)


def typo_keys(hashes: Hashes) -> Hashes:
    """What the entries of the section `typo` begin with: half of the hash, the rest of which is a name's number."""
    return hashes >> np.uint64(32) << np.uint64(32)


def write_typos(typos: SortedRuns, sections: SectionWriter, ranges: Iterable[tuple[int, int]]) -> None:
    """Write the sorted entries of the section `typo`; a letter that comes twice in a name gives the same twice."""
    for low, high in ranges:
        entries = typos.read(low, high).rows["hash"]
        sections.append("typo", entries[np.append(True, entries[1:] != entries[:-1])])


def _differ(rows: Rows) -> Flags:
    """Whether each row but the first has another name than the row before."""
    differ: Flags = (rows["hash"][1:] != rows["hash"][:-1]) | (rows["check"][1:] != rows["check"][:-1])
    return differ


def _first(rows: Rows) -> Counts:
    """The first row of each name."""
    return np.flatnonzero(np.concatenate(([True], _differ(rows))))


def _names_only(rows: Rows) -> Flags:
    """Which rows stay when values that are an alias of too many things are left out."""
    first = _first(rows)
    alias = rows["rank"] >> 28 == ALIAS
    many = np.add.reduceat(alias.astype(np.int64), first) > _MOST_ALIASES
    kept: Flags = ~(alias & np.repeat(many, np.diff(first, append=len(rows))))
    return kept

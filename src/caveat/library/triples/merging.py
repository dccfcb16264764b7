"""The second and third pass: every entity with its triples and names, every name with the entities that it can mean."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from caveat.library.triples.folding import (
    Checks,
    Counts,
    Hashes,
    Substrings,
    clean_predicates,
    code_points,
    fold_all,
    in_text,
    spans_of,
)
from caveat.library.triples.layout import SectionWriter
from caveat.library.triples.names import ALIAS_PREDICATES, aliases_in, has_other_names, other_names
from caveat.library.triples.runs import Gathered, Merged, Rows, SortedRuns

# What a name is to its entity, the surest first: its own; that without brackets or quotes; given by a mention
# list; the object of an alias predicate.
OWN, OTHER, LISTED, ALIAS = range(4)

NAME_ROW = np.dtype([("hash", "<u8"), ("check", "<u8"), ("entity", "<u4"), ("rank", "<u4"), ("size", "<u4")])

_LONGEST_NAME = 100
_NAMES_AT_ONCE = 1 << 16
_COUNTED = (1 << 28) - 1
_FACTOR = np.uint64(0xD6E8_FEB8_6659_FD93)


class EntityMerge:
    """Writes the entities of one range of hashes after the other, and lays down their names as runs."""

    def __init__(self, gathered: Gathered, sections: SectionWriter, names: SortedRuns) -> None:
        self._gathered, self._sections, self._names = gathered, sections, names
        cleaned = clean_predicates([predicate.decode() for predicate in gathered.predicates])
        self.cleaned_predicates = len(set(cleaned))
        self._alias_predicates = np.array([name in ALIAS_PREDICATES for name in cleaned], dtype=bool)
        self.entities = self.triples = self.duplicates = self.linked = 0
        self._name_bytes = self._object_bytes = 0
        for offsets in ("entity_triples", "entity_name", "entity_objects"):
            sections.append(offsets, np.zeros(1))

    def merge(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Write the entities of these ranges; equal hashes are always in one."""
        for low, high in ranges:
            merged = _by_subject(self._gathered.triples.read(low, high))
            kept = _first_of_each(merged.rows)
            self.duplicates += len(merged.rows) - len(kept)
            self._write(merged.rows[kept], merged.starts[kept], merged.text, low, high)

    def _write(self, rows: Rows, starts: Counts, text: bytes, low: int, high: int) -> None:
        first = np.flatnonzero(_begins(rows))
        counts = np.diff(first, append=len(rows))
        name_ends = (starts + rows["subject"])[first]
        names = [text[a:b] for a, b in zip(starts[first].tolist(), name_ends.tolist(), strict=True)]
        ends = starts + rows["size"]
        sizes = rows["object"]
        objects = [text[a:b] for a, b in zip((ends - sizes).tolist(), ends.tolist(), strict=True)]
        hashes = rows["hash"][first]

        append = self._sections.append
        append("entity_hash", hashes)
        append("entity_text", b"".join(names))
        append("object_text", b"".join(objects))
        append("triple_predicate", rows["predicate"])
        append("triple_size", sizes)
        append("entity_triples", np.cumsum(counts) + self.triples)
        name_bytes = np.cumsum(rows["subject"][first], dtype=np.int64) + self._name_bytes
        append("entity_name", name_bytes)
        object_ends = np.cumsum(sizes, dtype=np.int64)
        append("entity_objects", object_ends[first + counts - 1] + self._object_bytes)

        texts = [name.decode() for name in names]
        owners: list[int] = list(range(len(texts)))
        kinds = [OWN] * len(texts)

        def known_as(owner: int, others: Iterable[str], kind: int) -> None:
            for other in others:
                texts.append(other)
                owners.append(owner)
                kinds.append(kind)

        for owner in [owner for owner, name in enumerate(texts) if has_other_names(name)]:
            known_as(owner, other_names(texts[owner]), OTHER)
        owner_of = np.repeat(np.arange(len(first)), counts)
        for row in np.flatnonzero(self._alias_predicates[rows["predicate"]]).tolist():
            known_as(int(owner_of[row]), aliases_in(objects[row].decode()), ALIAS)
        for owner, alias in self._listed(low, high, hashes, rows["subject_check"][first]):
            known_as(owner, (alias,), LISTED)
        for begin in range(0, len(texts), _NAMES_AT_ONCE):
            some = slice(begin, begin + _NAMES_AT_ONCE)
            self._write_names(texts[some], np.array(owners[some]), np.array(kinds[some]), counts)

        self.entities += len(first)
        self.triples += len(rows)
        self._name_bytes = int(name_bytes[-1])
        self._object_bytes += int(object_ends[-1])

    def _listed(self, low: int, high: int, hashes: Hashes, checks: Hashes) -> Iterable[tuple[int, str]]:
        """The names that mention lists give to the entities of this range."""
        if not self._gathered.aliases.count:
            return
        aliases = self._gathered.aliases.read(low, high)
        owners = np.searchsorted(hashes, aliases.rows["hash"])
        columns = (owners, aliases.rows["hash"], aliases.rows["check"], aliases.starts, aliases.rows["size"])
        for owner, hash, check, start, size in zip(*(c.tolist() for c in columns), strict=True):
            while owner < len(hashes) and hashes[owner] == hash:
                if checks[owner] == check:
                    self.linked += 1
                    yield owner, aliases.text[start : start + size].decode()
                    break
                owner += 1

    def _write_names(self, texts: list[str], owners: Counts, kinds: Counts, counts: Counts) -> None:
        codes, lengths = fold_all(texts)
        rows = np.empty(len(texts), dtype=NAME_ROW)
        starts, ends = spans_of(lengths)
        rows["hash"] = Substrings(codes).hashes(starts, ends)
        rows["check"] = Checks(codes).values(starts, ends)
        rows["entity"] = owners + self.entities
        # Of two things with a name the one of which more is known comes first.
        rows["rank"] = kinds << 28 | _COUNTED - np.minimum(counts[owners], _COUNTED)
        whole = in_text(codes)
        folded = [whole[a:b].encode() for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        rows["size"] = np.fromiter(map(len, folded), dtype=np.uint32, count=len(folded))
        kept = (lengths > 0) & (lengths <= _LONGEST_NAME) & ((kinds != ALIAS) | (lengths > 1))
        self._names.add(rows[kept], [folded[at] for at in np.flatnonzero(kept).tolist()])


def _begins(rows: Rows) -> npt.NDArray[np.bool_]:
    """Whether each row is the first of its subject."""
    begins = np.ones(len(rows), dtype=bool)
    begins[1:] = rows["hash"][1:] != rows["hash"][:-1]
    begins[1:] |= rows["subject_check"][1:] != rows["subject_check"][:-1]
    return begins


def _by_subject(merged: Merged) -> Merged:
    """The rows of a subject side by side: two subjects with one hash can lie mixed."""
    rows = merged.rows
    mixed = (rows["hash"][1:] == rows["hash"][:-1]) & (
        rows["subject_check"][1:] != rows["subject_check"][:-1]
    )
    if not mixed.any():
        return merged
    order = np.lexsort((rows["subject_check"], rows["hash"]))
    return Merged(rows[order], merged.starts[order], merged.text)


def _first_of_each(rows: Rows) -> Counts:
    """The rows without those that say again what an earlier one says."""
    entity = np.cumsum(_begins(rows)).astype(np.uint64)
    said = (entity * _FACTOR + rows["predicate"]) * _FACTOR ^ rows["object_check"]
    # Of most rows a plain sort shows that they are alone; only the others are looked at closely.
    ordered = np.sort(said)
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(repeated):
        return np.arange(len(rows))
    at = np.minimum(np.searchsorted(repeated, said), len(repeated) - 1)
    suspects = np.flatnonzero(repeated[at] == said)
    _, first, which = np.unique(said[suspects], return_index=True, return_inverse=True)
    earlier = suspects[first[which]]
    again = earlier != suspects
    for column in (entity, rows["predicate"], rows["object_check"]):
        again &= column[earlier] == column[suspects]
    return np.delete(np.arange(len(rows)), suspects[again])


Flags = npt.NDArray[np.bool_]

TYPO_ROW = np.dtype([("hash", "<u8")])
SHORTEST_MISSPELT, LONGEST_MISSPELT = 3, 24

# A value that more things than these have as an alias is a kind of thing, not a name.
_MOST_ALIASES = 64


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

"""The second pass: every entity with its triples, each once and in the order of the files; and its names."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from caveat.answerers.knowledge.index.folding import Counts, clean_predicates, fold_all, in_text
from caveat.answerers.knowledge.index.gather import Gathered
from caveat.answerers.knowledge.index.hashing import Checks, Hashes, Substrings, spans_of
from caveat.answerers.knowledge.index.layout import SectionWriter
from caveat.answerers.knowledge.index.names import ALIAS_PREDICATES, aliases_in, has_other_names, other_names
from caveat.answerers.knowledge.index.runs import Merged, Rows, SortedRuns

__all__ = ["ALIAS", "NAME_ROW", "EntityMerge"]

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

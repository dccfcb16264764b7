"""The first pass of building an index: triples and mentions are read once and laid down as sorted runs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from pathlib import Path

import numpy as np

from caveat.answerers.knowledge.index.hashing import Checks, Substrings, spans_of
from caveat.answerers.knowledge.index.runs import Rows, SortedRuns
from caveat.sources.triple_columns import Columns
from caveat.sources.triple_lines import Mention

__all__ = ["Gathered"]

TRIPLE_ROW = np.dtype(
    [
        ("hash", "<u8"),
        ("subject_check", "<u8"),
        ("object_check", "<u8"),
        ("predicate", "<u4"),
        ("subject", "<u4"),  # bytes of the subject, with which the text of a row begins
        ("object", "<u4"),  # bytes of the object, with which it ends
        ("size", "<u4"),
    ]
)
ALIAS_ROW = np.dtype([("hash", "<u8"), ("check", "<u8"), ("size", "<u4")])

_ROWS_AT_ONCE = 1 << 16
_BYTES_AT_ONCE = 1 << 24


class _Numbers(dict[bytes, int]):
    """Numbers for texts, in the order in which they are first met."""

    def __missing__(self, text: bytes) -> int:
        self[text] = number = len(self)
        return number


class Gathered:
    """Everything that was read: triples under their subjects' hashes, aliases under their entities'."""

    def __init__(self, folder: Path) -> None:
        self.triples = SortedRuns(folder, "triples", TRIPLE_ROW)
        self.aliases = SortedRuns(folder, "aliases", ALIAS_ROW)
        self.predicates: dict[bytes, int] = _Numbers()

    def add_triples(self, blocks: Iterable[Columns]) -> None:
        """Take triples in, a run at a time."""
        waiting: list[Rows] = []
        pieces: list[bytes] = []
        size = 0
        for block in blocks:
            if not len(block.bounds):
                continue
            waiting.append(self._rows(block))
            starts, ends = block.bounds[:, 0].tolist(), block.bounds[:, 5].tolist()
            pieces += [block.data[start:end] for start, end in zip(starts, ends, strict=True)]
            size += len(block.data)
            if len(pieces) >= _ROWS_AT_ONCE or size >= _BYTES_AT_ONCE:
                self.triples.add(np.concatenate(waiting), pieces)
                waiting, pieces, size = [], [], 0
        if pieces:
            self.triples.add(np.concatenate(waiting), pieces)

    def _rows(self, block: Columns) -> Rows:
        codes = np.frombuffer(block.data, dtype=np.uint8)
        subject, subject_end, predicate, predicate_end, object, object_end = block.bounds.T
        rows = np.empty(len(block.bounds), dtype=TRIPLE_ROW)
        rows["hash"] = Substrings(codes).hashes(subject, subject_end)
        checks = Checks(codes)
        rows["subject_check"] = checks.values(subject, subject_end)
        rows["object_check"] = checks.values(object, object_end)
        places = zip(predicate.tolist(), predicate_end.tolist(), strict=True)
        names = [block.data[start:end] for start, end in places]
        rows["predicate"] = np.fromiter(map(self.predicates.__getitem__, names), np.uint32, len(names))
        rows["subject"], rows["object"] = subject_end - subject, object_end - object
        rows["size"] = object_end - subject
        return rows

    def add_mentions(self, mentions: Iterable[Mention]) -> None:
        """Take the names of a mention list in, for entities that may come before or after it, or not at all."""
        names: list[bytes] = []
        entities: list[bytes] = []
        for mention in mentions:
            entities += map(str.encode, mention.entities)
            names += repeat(mention.text.encode(), len(mention.entities))
            if len(names) >= _ROWS_AT_ONCE:
                self._write_aliases(names, entities)
                names, entities = [], []
        if names:
            self._write_aliases(names, entities)

    def _write_aliases(self, names: list[bytes], entities: list[bytes]) -> None:
        codes = np.frombuffer(b"".join(entities), dtype=np.uint8)
        spans = spans_of(np.fromiter(map(len, entities), dtype=np.int64, count=len(entities)))
        rows = np.empty(len(names), dtype=ALIAS_ROW)
        rows["hash"] = Substrings(codes).hashes(*spans)
        rows["check"] = Checks(codes).values(*spans)
        rows["size"] = np.fromiter(map(len, names), dtype=np.uint32, count=len(names))
        self.aliases.add(rows, names)

    def remove(self) -> None:
        """Take the runs away."""
        self.triples.remove()
        self.aliases.remove()

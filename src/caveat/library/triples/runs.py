"""Sorting more than fits into memory: sorted runs on disk, merged one range of hashes after the other.

A row has a 64-bit `hash`, whose values are spread evenly, and possibly a piece of text of `size` bytes. Each run
is sorted when it is added. A range of hashes is then a stretch of every run; the stretches are read and sorted
together, which is small work, however long the runs are. The first pass of building an index lays triples and mentions
down like this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import repeat
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from caveat.library.triples.folding import Checks, Counts, Substrings, spans_of
from caveat.sources.triple_columns import Columns
from caveat.sources.triple_lines import Mention

Rows = npt.NDArray[Any]

_BITS = 12
_ROWS_AT_ONCE = 1 << 18
_BYTES_AT_ONCE = 1 << 26
# The first hash of each bucket, all but the first bucket's.
_EDGES = np.arange(1, 1 << _BITS, dtype=np.uint64) << np.uint64(64 - _BITS)


class Merged(NamedTuple):
    """The rows of a range in the order of their hashes, equal ones as they were added; where the texts begin."""

    rows: Rows
    starts: Counts
    text: bytes


class SortedRuns:
    """Rows of one kind, added run by run, taken out range by range."""

    def __init__(self, folder: Path, name: str, row: np.dtype[Any]) -> None:
        self._row = row
        # Opened when they are first written to, so that whoever has made the runs can close what there is of them.
        self._paths = {part: folder / f"{name}.{part}" for part in ("rows", "text")}
        self._files: dict[str, BinaryIO] = {}
        # For every run the first row, and the first byte, of each bucket; and where the run ends.
        self._rows: list[Counts] = []
        self._bytes: list[Counts] = []
        self.count = 0

    def add(self, rows: Rows, pieces: Sequence[bytes] | None = None) -> None:
        """Sort the rows, with their pieces of text, and write them as a run."""
        order = np.argsort(rows["hash"], kind="stable")
        rows = rows[order]
        edges = np.concatenate(([0], np.searchsorted(rows["hash"], _EDGES), [len(rows)]))
        self._rows.append(edges + self.count)
        self._write("rows", rows.data)
        self.count += len(rows)
        if pieces is not None:
            ends = np.concatenate(([0], np.cumsum(rows["size"], dtype=np.int64)))
            before = self._bytes[-1][-1] if self._bytes else 0
            self._bytes.append(ends[edges] + before)
            self._write("text", b"".join([pieces[at] for at in order.tolist()]))

    def ranges(self) -> list[tuple[int, int]]:
        """All buckets in order, in stretches that are small enough to be sorted in memory; none is empty."""
        if not self.count:
            return []
        rows = np.diff(np.sum(self._rows, axis=0)).tolist()
        sizes = np.diff(np.sum(self._bytes, axis=0)).tolist() if self._bytes else [0] * len(rows)
        found, low, held, filled = [], 0, 0, 0
        for bucket, (count, size) in enumerate(zip(rows, sizes, strict=True)):
            if count and held and (held + count > _ROWS_AT_ONCE or filled + size > _BYTES_AT_ONCE):
                found.append((low, bucket))
                low, held, filled = bucket, 0, 0
            held, filled = held + count, filled + size
        return [*found, (low, len(rows))]

    def read(self, low: int, high: int) -> Merged:
        """The rows of the buckets from `low` until before `high`."""
        width = self._row.itemsize
        data = b"".join(
            self._part("rows", int(edges[low]) * width, int(edges[high]) * width) for edges in self._rows
        )
        text = b"".join(self._part("text", int(edges[low]), int(edges[high])) for edges in self._bytes)
        rows: Rows = np.frombuffer(data, dtype=self._row)
        order = np.argsort(rows["hash"], kind="stable")
        if not self._bytes:
            return Merged(rows[order], np.zeros(0, dtype=np.int64), b"")
        sizes = rows["size"].astype(np.int64)
        return Merged(rows[order], (np.cumsum(sizes) - sizes)[order], text)

    def _write(self, file: str, data: bytes | memoryview) -> None:
        if file not in self._files:
            self._files[file] = open(self._paths[file], "w+b")  # noqa: SIM115 closed in `remove`
        self._files[file].write(data)

    def _part(self, file: str, begin: int, end: int) -> bytes:
        if begin == end:
            return b""
        self._files[file].seek(begin)
        return self._files[file].read(end - begin)

    def remove(self) -> None:
        """Close the files and take them away."""
        for name, file in self._files.items():
            with suppress(OSError):  # what could not be written on a full disk is not needed any more
                file.close()
            self._paths[name].unlink(missing_ok=True)


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

_ROWS_A_RUN = 1 << 16
_BYTES_A_RUN = 1 << 24


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
            if len(pieces) >= _ROWS_A_RUN or size >= _BYTES_A_RUN:
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
            if len(names) >= _ROWS_A_RUN:
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

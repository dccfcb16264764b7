"""Sorting more than fits into memory: sorted runs on disk, merged one range of hashes after the other.

A row has a 64-bit `hash`, whose values are spread evenly, and possibly a piece of text of `size` bytes. Each run
is sorted when it is added. A range of hashes is then a stretch of every run; the stretches are read and sorted
together, which is small work, however long the runs are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from caveat.answerers.knowledge.index.folding import Counts

__all__ = ["Merged", "Rows", "SortedRuns"]

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
        self._files: list[BinaryIO] = [
            open(folder / f"{name}.{part}", "w+b")  # noqa: SIM115 closed in `remove`
            for part in ("rows", "text")
        ]
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
        self._files[0].write(rows.data)
        self.count += len(rows)
        if pieces is not None:
            ends = np.concatenate(([0], np.cumsum(rows["size"], dtype=np.int64)))
            before = self._bytes[-1][-1] if self._bytes else 0
            self._bytes.append(ends[edges] + before)
            self._files[1].write(b"".join([pieces[at] for at in order.tolist()]))

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
            self._part(0, int(edges[low]) * width, int(edges[high]) * width) for edges in self._rows
        )
        text = b"".join(self._part(1, int(edges[low]), int(edges[high])) for edges in self._bytes)
        rows: Rows = np.frombuffer(data, dtype=self._row)
        order = np.argsort(rows["hash"], kind="stable")
        if not self._bytes:
            return Merged(rows[order], np.zeros(0, dtype=np.int64), b"")
        sizes = rows["size"].astype(np.int64)
        return Merged(rows[order], (np.cumsum(sizes) - sizes)[order], text)

    def _part(self, file: int, begin: int, end: int) -> bytes:
        if begin == end:
            return b""
        self._files[file].seek(begin)
        return self._files[file].read(end - begin)

    def remove(self) -> None:
        """Close the files and take them away."""
        for file in self._files:
            with suppress(OSError):  # what could not be written on a full disk is not needed any more
                file.close()
            Path(file.name).unlink(missing_ok=True)

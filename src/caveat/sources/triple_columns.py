"""Triples in bulk: the bytes of many at once, and where the parts of each begin and end.

Of a file in NLPCC's format whole blocks are cut up by array operations, several times as fast as line by line; lines
that are anything but plain are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caveat.core.answers import Triple
from caveat.sources.triple_lines import OnBad, parse_triple

AT_ONCE = 1 << 12
_CHARACTERS_AT_ONCE = 1 << 20
_LINE_END, _RETURN, _BLANK, _BAR = 10, 13, 32, 124

Counts = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]

_ASCII_BLANK: Flags = np.array([code < 128 and chr(code).isspace() for code in range(256)])
# The first two bytes of every blank beyond ASCII, and of a few characters that are none.
_OTHER_BLANK: Flags = np.zeros(1 << 16, dtype=bool)
_OTHER_BLANK[[0xC285, 0xC2A0, 0xE19A, 0xE280, 0xE281, 0xE380]] = True


class Columns(NamedTuple):
    """Triples: bytes, and for each the start and end of subject, predicate and object in them, in this order."""

    data: bytes
    bounds: Counts

    def triples(self) -> Iterator[Triple]:
        """The same as records."""
        for a, b, c, d, e, f in self.bounds.tolist():
            yield Triple(self.data[a:b].decode(), self.data[c:d].decode(), self.data[e:f].decode())


def triple_columns(triples: Sequence[Triple]) -> Columns:
    """Records as columns."""
    parts = [
        part.encode() for triple in triples for part in (triple.subject, triple.predicate, triple.object)
    ]
    ends = np.cumsum(np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)))
    bounds = np.stack((np.append(0, ends[:-1]), ends), axis=1) if parts else np.zeros((0, 2), dtype=np.int64)
    return Columns(b"".join(parts), bounds.reshape(-1, 6))


def batches_of(triples: Iterable[Triple]) -> Iterator[Columns]:
    """Records as columns, a few thousand at a time, or fewer where they are long."""
    batch: list[Triple] = []
    characters = 0
    for triple in triples:
        batch.append(triple)
        characters += len(triple.object)
        if len(batch) >= AT_ONCE or characters >= _CHARACTERS_AT_ONCE:
            yield triple_columns(batch)
            batch, characters = [], 0
    if batch:
        yield triple_columns(batch)


def nlpcc_columns(text: str, first_line: int, on_bad: OnBad) -> Columns:
    """The triples of whole lines `subject ||| predicate ||| object`, by the rule of `read_triples`."""
    data = text.encode()
    if not data:
        return triple_columns([])
    codes: Bytes = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(codes == _LINE_END)
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    starts = np.append(0, ends[:-1] + 1)[: len(ends)]
    ends = ends - ((ends > starts) & (codes[ends - 1] == _RETURN))

    bounds, plain = _plain_lines(codes, starts, ends)
    others: list[Triple] = []
    where: list[int] = []
    for line in np.flatnonzero(~plain).tolist():
        written = data[starts[line] : ends[line]].decode()
        triple = parse_triple(written)
        if triple is not None:
            others.append(triple)
            where.append(line)
        elif written and not written.isspace():
            on_bad(first_line + line, written)
    if others:
        # In the order of the lines, but with bytes of their own behind those of the block.
        more = triple_columns(others)
        bounds[where] = more.bounds + len(data)
        plain[where] = True
        data += more.data
    return Columns(data, bounds[plain])


def _plain_lines(codes: Bytes, starts: Counts, ends: Counts) -> tuple[Counts, Flags]:
    """The bounds of the parts of each line, and whether it is plain: two ` ||| `, and no further blank beside one."""
    bounds = np.zeros((len(starts), 6), dtype=np.int64)
    bar = codes == _BAR
    marks = np.flatnonzero(bar[:-2] & bar[1:-1] & bar[2:])
    first = np.searchsorted(marks, starts)
    plain = np.diff(first, append=len(marks)) == 2
    left, right = marks[first[plain]], marks[first[plain] + 1]
    # The text of each part begins four bytes after the mark before it and ends one byte before the next.
    parts = np.stack((starts[plain], left - 1, left + 4, right - 1, right + 4, ends[plain]), axis=1)
    begins, stops = parts[:, 0::2], parts[:, 1::2]
    clean = (begins < stops).all(axis=1)
    plain[plain] = clean
    parts, left, right = parts[clean], left[clean], right[clean]
    begins, stops = parts[:, 0::2], parts[:, 1::2]
    blank = (codes[left - 1] == _BLANK) & (codes[left + 3] == _BLANK)
    blank &= (codes[right - 1] == _BLANK) & (codes[right + 3] == _BLANK)
    odd = _begin_blank(codes, begins) | _end_blank(codes, stops)
    clean = blank & ~odd.any(axis=1)
    plain[plain] = clean
    bounds[plain] = parts[clean]
    return bounds, plain


def _begin_blank(codes: Bytes, at: Counts) -> Flags:
    """Whether the text that begins there may begin with a blank."""
    return _ASCII_BLANK[codes[at]] | _OTHER_BLANK[_pairs(codes, at)]


def _end_blank(codes: Bytes, at: Counts) -> Flags:
    """Whether the text that ends there may end with a blank, of one, two or three bytes."""
    found = _ASCII_BLANK[codes[at - 1]]
    for back in (2, 3):
        found |= _OTHER_BLANK[_pairs(codes, np.maximum(at - back, 0))]
    return found


def _pairs(codes: Bytes, at: Counts) -> Counts:
    return codes[at].astype(np.int64) << 8 | codes[np.minimum(at + 1, len(codes) - 1)]

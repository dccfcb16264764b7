"""BM25 as tantivy computes it, for vectors that a server multiplies: the same passages get the same scores.

The server weighs each term by its rarity, with the formula that tantivy has. What is left is how often a passage has a
term, and its length beside the average, which is put into the vector.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from caveat.language.bm25 import K1, B
from caveat.library.search import Kind, Terms

Field = str
FIELDS: dict[Kind, tuple[Field, Field]] = {"document": ("headings", "text"), "table": ("names", "cells")}
"""Of each kind of source: what stands over a passage, and the passage; the same as the folder's engine has."""
_SEEDS = {field: zlib.crc32(field.encode()) for fields in FIELDS.values() for field in fields}
Averages = Mapping[Field, float]
"""Terms in each field, for one passage of all."""

# Tantivy keeps a length in a byte, as Lucene does: exact up to 40, then three bits after the first.
_EXACT, _BITS = 24, 3


def _kept_lengths() -> list[int]:
    lengths = list(range(_EXACT))
    for code in range(256 - _EXACT):
        shift = (code >> _BITS) - 1
        bits = code & 7
        lengths.append(_EXACT + (bits if shift < 0 else (bits | 8) << shift))
    return lengths


_LENGTHS = _kept_lengths()


class Counted(NamedTuple):
    """The terms of a passage by field: how often each is there, and how many there are."""

    counts: dict[Field, Counter[str]]
    lengths: dict[Field, int]


def counted(kind: Kind, passage: Terms) -> Counted:
    """The terms of a passage, counted."""
    fields = dict(zip(FIELDS[kind], (passage.headings.split(), passage.text.split()), strict=True))
    return Counted(
        {field: Counter(words) for field, words in fields.items()},
        {field: len(words) for field, words in fields.items()},
    )


def dimension(field: Field, term: str) -> int:
    """The number of a term of a field among those of a vector.

    There are four thousand million; of a million terms a hundred share theirs with another.
    """
    return zlib.crc32(term.encode("utf-8", "surrogatepass"), _SEEDS[field])


def saturation(count: float, length: int, average: float) -> float:
    """What a term counts for that a passage has so often."""
    return (K1 + 1) * count / (count + _damping(length, average))


def occurrences(weight: float, length: int, average: float) -> int:
    """How often a passage has a term that counts for so much."""
    return round(weight * _damping(length, average) / (K1 + 1 - weight))


def vector(passage: Counted, averages: Averages) -> dict[int, float]:
    """What a server keeps of a passage: for each term its saturation."""
    found: dict[int, float] = {}
    for field, counts in passage.counts.items():
        length, average = passage.lengths[field], averages[field]
        weights = {count: saturation(count, length, average) for count in set(counts.values())}
        for term, count in counts.items():
            found[dimension(field, term)] = weights[count]
    return found


def _damping(length: int, average: float) -> float:
    kept = _LENGTHS[bisect_right(_LENGTHS, length) - 1]
    return K1 * (1 - B + B * kept / (average or 1.0))

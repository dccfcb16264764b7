"""64-bit hashes of texts, the same in every process, for many texts or all substrings of a question at once.

A text, bytes or code points, is a polynomial in them modulo 2⁶⁴: over an array of running sums the value of any
stretch is a difference, and that of a stretch with one character left out is the sum of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caveat.answerers.knowledge.index.folding import Counts

Hashes = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.unsignedinteger[Any]]

_MODULUS = 1 << 64
# Odd, so that they have inverses; 5 modulo 8, so that their powers repeat only after 2⁶² steps.
_HASH_BASE, _CHECK_BASE = 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD95
# The finaliser of SplitMix64: a polynomial's low bits tell little of its text.
_MIXING = (30, 0xBF58_476D_1CE4_E5B9), (27, 0x94D0_49BB_1331_11EB), (31, 1)


class _RunningSums:
    """The values of stretches of one array, under one base."""

    def __init__(self, codes: Numbers, base: int) -> None:
        powers, self._inverse = _powers_up_to(len(codes) + 1, base)
        self._sums: Hashes = np.zeros(len(codes) + 1, dtype=np.uint64)
        weighted = self._sums[1:]
        # One more than the code: none may be zero.
        np.add(codes, 1, out=weighted, casting="unsafe")
        np.multiply(weighted, powers[: len(codes)], out=weighted)
        np.cumsum(weighted, out=weighted)

    def values(self, starts: Counts, ends: Counts) -> Hashes:
        """Of the stretches `starts[i]:ends[i]`."""
        return (self._sums[ends] - self._sums[starts]) * self._inverse[starts]


class Substrings(_RunningSums):
    """The hashes of stretches of one array of bytes or code points."""

    def __init__(self, codes: Numbers) -> None:
        super().__init__(codes, _HASH_BASE)

    def hashes(self, starts: Counts, ends: Counts) -> Hashes:
        """Of the stretches `starts[i]:ends[i]`."""
        return _mixed(self.values(starts, ends))

    def without(self, starts: Counts, ends: Counts, left_out: Counts) -> Hashes:
        """Of the same stretches, each without the character at `left_out[i]`."""
        before = self._sums[left_out] - self._sums[starts]
        after = (self._sums[ends] - self._sums[left_out + 1]) * self._inverse[1]
        return _mixed((before + after) * self._inverse[starts])


class Checks(_RunningSums):
    """A second value for stretches, by which texts of the same hash are told apart while an index is built."""

    def __init__(self, codes: Numbers) -> None:
        super().__init__(codes, _CHECK_BASE)


def hash_codes(codes: Sequence[int]) -> np.uint64:
    """The hash of one short text, by the same rule: it is had sooner without arrays."""
    value = 0
    for code in reversed(codes):
        value = (value * _HASH_BASE + code + 1) % _MODULUS
    for shift, factor in _MIXING:
        value = (value ^ value >> shift) * factor % _MODULUS
    return np.uint64(value)


def spans_of(lengths: Counts) -> tuple[Counts, Counts]:
    """Where texts of these lengths begin and end when they stand one after the other."""
    ends = np.cumsum(lengths)
    return ends - lengths, ends


_tables: dict[int, tuple[Hashes, Hashes]] = {}


def _powers_up_to(count: int, base: int) -> tuple[Hashes, Hashes]:
    """The powers of the base and of its inverse, `count` or more of each; as many as were needed so far are kept."""
    if base not in _tables or len(_tables[base][0]) < count:
        size = max(count, 1 << 10)
        _tables[base] = (_powers(base, size), _powers(pow(base, -1, _MODULUS), size))
    return _tables[base]


def _powers(base: int, count: int) -> Hashes:
    factors: Hashes = np.full(count, base, dtype=np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def _mixed(values: Hashes) -> Hashes:
    for shift, factor in _MIXING:
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values

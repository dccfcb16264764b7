"""Names as they are compared: without case, width, script variant, accents, bullets and needless blanks.

Every character is folded alone, so that a name folds alike by itself and inside a question. (OpenCC converts
phrases: what 乾 becomes would depend on its neighbours.) Work is done on arrays of code points, for one question
or a hundred thousand names at once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from caveat.core.cache import cache_short
from caveat.language.simplify import simplify

Codes = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.int64]

_BLANK, _DROPPED = 0x20, 0xFFFF_FFFF
# From here on scripts are written without blanks between words: kana, ideographs, full-width forms.
FIRST_WIDE = 0x2E80
# The dots of 尼克·克莱格 in their many encodings, and bullets before the entries of a list.
_BULLETS = frozenset("·•‧・･∙⋅●▪◦‣⁃᛫")
_ALIKE = {**dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("‘’‛′", "'"), **dict.fromkeys("“”„″", '"')}
_EDGES = " -:;,.*#>~_、，。：；"


class Folded(NamedTuple):
    """A folded text as code points, each with the offset of the character that it came from."""

    codes: Codes
    origin: Counts

    @property
    def text(self) -> str:
        """The same as text."""
        return in_text(self.codes)


def fold(text: str) -> Folded:
    """One text, folded, with the way back to its offsets."""
    codes, _, origin = _fold([text])
    return Folded(codes, origin)


def fold_all(texts: Sequence[str]) -> tuple[Codes, Counts]:
    """Many texts, folded: all their code points, one text after the other, and how many each has."""
    codes, lengths, _ = _fold(texts)
    return codes, lengths


def code_points(text: str) -> Codes:
    """A text as an array."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def in_text(codes: Codes) -> str:
    """An array of code points as text."""
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache_short(1 << 15)
def clean_predicate(predicate: str) -> str:
    """A predicate as questions are matched with it: folded, without bullets, colons and the like around it."""
    return clean_predicates([predicate])[0]


def clean_predicates(predicates: Sequence[str]) -> list[str]:
    """Many predicates, cleaned."""
    codes, lengths = fold_all(predicates)
    whole, at, cleaned = in_text(codes), 0, []
    for predicate, length in zip(predicates, lengths.tolist(), strict=True):
        folded = whole[at : at + length]
        at += length
        cleaned.append(folded.strip(_EDGES) or folded or predicate)
    return cleaned


def _fold(texts: Sequence[str]) -> tuple[Codes, Counts, Counts]:
    raw = code_points("".join(texts))
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    codes = _folded_characters(raw)
    origin = np.arange(len(codes))
    owner = np.repeat(np.arange(len(texts)), lengths)
    kept = codes != _DROPPED
    if not kept.all():
        codes, origin, owner = codes[kept], origin[kept], owner[kept]
    kept = codes != _BLANK
    if not kept.all():
        # Of the blanks between two characters of one text one stays, and none beside an ideograph.
        marks = np.flatnonzero(kept)
        left, right = marks[:-1], marks[1:]
        apart = (right - left > 1) & (owner[left] == owner[right])
        apart &= (codes[left] < FIRST_WIDE) & (codes[right] < FIRST_WIDE)
        kept[left[apart] + 1] = True
        codes, origin, owner = codes[kept], origin[kept], owner[kept]
    return codes, np.bincount(owner, minlength=len(texts)), origin


# What each character folds to, filled in as characters are met; 0 is not known yet.
_table: Codes = np.zeros(0x11_0000, dtype=np.uint32)


def _folded_characters(raw: Codes) -> Codes:
    folded = _table[raw]
    unknown = folded == 0
    if unknown.any():
        new = np.unique(raw[unknown])
        _table[new] = _fold_characters([chr(code) for code in new.tolist()])
        folded = _table[raw]
    return folded


def _fold_characters(characters: list[str]) -> list[int]:
    plain = [_plain(character) for character in characters]
    # A line each, so that no phrase is seen.
    simple = simplify("\n".join(plain)).text.split("\n")
    if len(simple) != len(plain):
        simple = [simplify(character).text for character in plain]
    return [
        ord(new if len(new) == 1 else old) if old else _DROPPED
        for old, new in zip(plain, simple, strict=True)
    ]


def _plain(character: str) -> str:
    """One character without width, accent and case; "" if it does not count."""
    if character.isspace():
        return " "
    if character in _BULLETS or unicodedata.category(character) in ("Cc", "Cf"):
        return ""
    parts = unicodedata.normalize("NFKD", character)
    parts = "".join(part for part in parts if not "\u0300" <= part <= "\u036f")
    if len(parts) != 1:
        composed = unicodedata.normalize("NFKC", character)
        parts = parts and (composed if len(composed) == 1 else character)
    if parts in _BULLETS or parts == " ":
        return parts if parts == " " else ""
    lower = parts.lower()
    return _ALIKE.get(parts, lower if len(lower) == 1 else parts)


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

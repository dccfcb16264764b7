"""Traditional to Simplified Chinese with OpenCC, with the way back to the original's offsets.

OpenCC's output is taken as it is. It is meant for Traditional text: a few entries misread text that is
Simplified already (打坏 → 打坯, 乾清宫 → 干清宫), so ask `is_traditional` first where the script is unknown.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from operator import itemgetter, ne

import msgspec

from caveat.text.script import HAN, count_han, is_han

__all__ = ["TRADITIONAL_SHARE", "Simplified", "is_traditional", "simplify"]

# The share of ideographs that conversion changes is 0.18 to 0.49 in Traditional paragraphs and below 0.03 in
# Simplified ones, where a few rare characters have no agreed simplification.
TRADITIONAL_SHARE = 0.05

_PIECE = re.compile(f"[{HAN}]+|[^{HAN}]+")
_HAN_RUN = re.compile(f"[{HAN}]+")

Convert = Callable[[str], str]
# An offset in the simplified text and the offset in the original that corresponds to it.
Anchor = tuple[int, int]


class Simplified(msgspec.Struct, frozen=True):
    """A simplified text; `anchors` pair offsets here with the original's, None where all are equal."""

    text: str
    anchors: tuple[Anchor, ...] | None = None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that the span `start:end` of this text came from."""
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"there is no span {start}:{end} in a text of {len(self.text)} characters")
        if self.anchors is None:
            return start, end
        low = _look_up(self.anchors, start)[0]
        return low, low if start == end else _look_up(self.anchors, end)[1]


def _look_up(anchors: tuple[Anchor, ...], at: int) -> tuple[int, int]:
    """The original's nearest corresponding offsets at or before `at` and at or after it."""
    index = bisect_right(anchors, at, key=itemgetter(0)) - 1
    here, there = anchors[index]
    if at == here:
        return there, there
    next_here, next_there = anchors[index + 1]
    if next_here - here == next_there - there:
        return there + at - here, there + at - here
    return there, next_there


def simplify(text: str) -> Simplified:
    """The text in Simplified script."""
    return _simplify(text, _converter())


def is_traditional(text: str) -> bool:
    """Whether a text is in Traditional script: conversion changes a good share of its ideographs."""
    simple = simplify(text).text
    if simple == text:
        return False
    changed: int = sum(map(ne, text, simple)) + abs(len(text) - len(simple))
    return changed >= TRADITIONAL_SHARE * count_han(text)


@cache
def _converter() -> Convert:
    from opencc import OpenCC

    converter = OpenCC("t2s")
    return lambda text: str(converter.convert(text))


def _simplify(text: str, convert: Convert) -> Simplified:
    try:
        simple = convert(text)
    except UnicodeEncodeError:  # a lone surrogate, which OpenCC cannot take
        simple = _HAN_RUN.sub(lambda run: convert(run[0]), text)
    # No entry of t2s changes the length as of OpenCC 1.4; dictionaries grow.
    if len(simple) == len(text):
        return Simplified(simple)
    anchors: list[Anchor] = [(0, 0)]
    for anchor in _corresponding(text, simple, convert):
        _extend(anchors, anchor)
    return Simplified(simple, tuple(anchors))


def _extend(anchors: list[Anchor], anchor: Anchor) -> None:
    """Append an anchor; inside a stretch without a change of length only its two ends are kept."""
    if len(anchors) > 1:
        (here, there), (last_here, last_there) = anchors[-2:]
        shift = anchor[1] - anchor[0]
        if there - here == last_there - last_here == shift:
            anchors.pop()
    anchors.append(anchor)


def _corresponding(text: str, simple: str, convert: Convert) -> Iterator[Anchor]:
    """Offsets that surely correspond: around each run of ideographs, and inside one where it can be cut."""
    pieces = [
        (piece[0], convert(piece[0]) if _HAN_RUN.match(piece[0]) else piece[0])
        for piece in _PIECE.finditer(text)
    ]
    if "".join(converted for _, converted in pieces) != simple:
        pieces = [(piece, convert(piece) if is_han(piece) else piece) for piece in _PIECE.findall(text)]
    if "".join(converted for _, converted in pieces) != simple:
        pieces = [(text, simple)]  # an entry reaches beyond ideographs
    here = there = 0
    for piece, converted in pieces:
        if len(piece) == len(converted):
            cuts: Iterator[Anchor] = iter(())
        else:
            cuts = _cuts(piece, converted, convert)
        yield from ((here + cut, there + original) for cut, original in cuts)
        here, there = here + len(converted), there + len(piece)
        yield here, there


def _cuts(piece: str, converted: str, convert: Convert) -> Iterator[Anchor]:
    """Where both sides, converted on their own, give what the whole gave: no entry reaches across."""
    last = 0
    for at in range(1, len(piece)):
        left = convert(piece[:at])
        if last < len(left) < len(converted) and left + convert(piece[at:]) == converted:
            last = len(left)
            yield last, at

"""What stands on every page of a PDF: running titles, page numbers, footers. It is no part of the text."""

from __future__ import annotations

import re
from collections import Counter

from caveat.sources.pdf_layout import Line

# The outer parts of a page in which such lines stand, and how many of them on each side.
_ZONE = 0.13
_MOST_LINES = 3
_FEWEST_PAGES = 3
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]+", re.IGNORECASE)
_GRAIN = 6.0

Place = tuple[int, float, float]
"""A page, counting from 0, and where a line of it stands."""


def furniture_of(pages: list[tuple[float, list[Line]]]) -> set[Place]:
    """The places of the lines that stand on several pages, of pages given by their heights and lines.

    A line is one of them if the same words stand at the same height on at least three pages, or on all of two, whatever
    its numbers are; or if it has a number that grows with each page.
    """
    outer: list[tuple[int, Line]] = []
    for number, (height, lines) in enumerate(pages):
        inside = sorted(lines, key=lambda line: line.top)
        outer += [(number, line) for line in inside[:_MOST_LINES] if line.bottom < _ZONE * height]
        outer += [(number, line) for line in inside[-_MOST_LINES:] if line.top > (1 - _ZONE) * height]
    words: Counter[tuple[str, int]] = Counter()
    seen: set[tuple[int, str, int]] = set()
    for number, line in outer:
        key = _words(line)
        for row in _rows(line):
            if (number, key, row) not in seen:
                seen.add((number, key, row))
                words[key, row] += 1
    numbers = Counter(
        (label - number, row, side)
        for number, line in outer
        for side, label in _labels(line)
        for row in _rows(line)
    )
    fewest = min(_FEWEST_PAGES, max(2, len(pages)))
    return {
        (number, line.left, line.top)
        for number, line in outer
        if any(words[_words(line), row] >= fewest for row in _rows(line))
        or any(
            numbers[label - number, row, side] >= _FEWEST_PAGES
            for side, label in _labels(line)
            for row in _rows(line)
        )
        or (_is_number(line) and len(pages) > 1)
    }


def _rows(line: Line) -> tuple[int, int]:
    """Where a line stands, roughly; one that is near a border of two rows is in both."""
    return int(line.bottom // _GRAIN), int((line.bottom + _GRAIN / 2) // _GRAIN) + 100_000


def _words(line: Line) -> str:
    words = ["#" if _ROMAN.fullmatch(word) else word for word in line.text.casefold().split()]
    return _DIGITS.sub("#", " ".join(words))


def _labels(line: Line) -> list[tuple[str, int]]:
    """The numbers at the beginning and at the end of a line."""
    words = line.text.split()
    found: list[tuple[str, int]] = []
    for side, word in (("first", words[0]), ("last", words[-1])):
        if word.isdecimal() and len(word) < 5:
            found.append((side, int(word)))
    return found


def _is_number(line: Line) -> bool:
    text = line.text.strip("-–—·• []()")
    return (text.isdecimal() and len(text) < 5) or (_ROMAN.fullmatch(text) is not None and text.islower())

"""Offsets in UTF-16 units, as JavaScript counts them, and in code points, as everything here does."""

from __future__ import annotations

__all__ = ["CodePoints", "units_before"]


class CodePoints:
    """The code points of a text by their offsets in UTF-16 units."""

    def __init__(self, text: str) -> None:
        self._points: list[int] = []
        for point, character in enumerate(text):
            self._points += [point] * (1 + (ord(character) > 0xFFFF))
        self._points.append(len(text))

    def of(self, unit: int) -> int:
        """The code point at this unit; IndexError beyond the text."""
        if unit < 0:
            raise IndexError(unit)
        return self._points[unit]


def units_before(text: str, point: int) -> int:
    """How many UTF-16 units stand before this code point."""
    return point + sum(ord(character) > 0xFFFF for character in text[:point])

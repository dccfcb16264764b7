"""How other tools carry a sample: its text, its question to be seen, and the rest under one key that they keep.

Their offsets may be UTF-16 units, as JavaScript counts them; everything here counts code points.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from caveat.annotation.records import Entry, Sample

__all__ = ["CodePoints", "carried", "sample_of", "units_before"]

_KEY = "sample"


def carried(entry: Entry) -> dict[str, Any]:
    """What stands beside the text."""
    sample = entry.sample
    first = entry.works[0][1] if entry.works else None
    question = sample.question if first is None else first.question
    scenario = sample.scenario if first is None else first.scenario
    shown = {"question": question, "scenario": scenario}
    rest: dict[str, Any] = msgspec.to_builtins(sample)
    del rest["context"]
    return {_KEY: rest, **{key: value for key, value in shown.items() if value}}


def sample_of(text: Any, beside: Mapping[str, Any], id: object) -> Sample:
    """The sample that was carried, or one made of what another tool has; ValueError where it is none."""
    if not isinstance(text, str):
        raise ValueError("there is no text")
    if isinstance(rest := beside.get(_KEY), Mapping):
        return msgspec.convert({**rest, "context": text}, Sample)
    known = {key: beside.get(key) for key in ("question", "scenario", "title", "split", "url")}
    return msgspec.convert({"id": str(beside.get("id", id)), "context": text, **known}, Sample)


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

"""The parts of a value that holds several: 秦婉，王蓉 is one value in the base, and names two people."""

from __future__ import annotations

import re

from caveat.core.script import count_han

__all__ = ["parts_of"]

# Blanks or digits on both sides of a comma make it part of a number, a sentence stop makes the whole a text.
_MARKS = re.compile(r"[、；;|]|(?<![0-9])[，,/]|[，,/](?![0-9])")
_STRONG = re.compile(r"[；;|]")
_TEXT = re.compile(r"[。！？!?]|\.\s")
_OPENING, _CLOSING = "（([【《“「『", "）)]】》”」』"
_LONGEST_PART, _LONGEST_VALUE, _MOST_PARTS = 30, 400, 40
_LIST = 3


def parts_of(value: str) -> tuple[str, ...]:
    """The parts, at least two; none where the value is one thing, or a text.

    In Latin letters a comma may stand inside one thing (Paris, France): there only lists of three or more are cut.
    """
    if len(value) > _LONGEST_VALUE or _TEXT.search(value):
        return ()
    parts = _apart(value)
    several = 2 if count_han(value) or _STRONG.search(value) else _LIST
    if not several <= len(parts) <= _MOST_PARTS or any(len(part) > _LONGEST_PART for part in parts):
        return ()
    return tuple(parts)


def _apart(value: str) -> list[str]:
    """Cut at the marks that stand in no brackets and no book marks."""
    parts, depth, begin = [], 0, 0
    marks = {match.start() for match in _MARKS.finditer(value)}
    for at, character in enumerate(value):
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif depth <= 0 and at in marks:
            parts.append(value[begin:at])
            begin = at + 1
    parts.append(value[begin:])
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))

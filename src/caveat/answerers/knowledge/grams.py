"""What questions and predicates are compared by: ideographs and words, alone and in pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from caveat.language.stems import root

__all__ = ["MASK", "grams_of", "units_of"]

# Stands in a question where the entity was named.
MASK = "□"

_UNIT = re.compile(rf"{MASK}|[0-9]+|[^\W\d_\u2e80-\U0010ffff]+|[\u2e80-\U0010ffff]")
_MARKS = frozenset("《》〈〉「」『』【】（）！？，。、：；“”‘’")


def units_of(text: str) -> list[str]:
    """The ideographs and the words of a folded text, words without their endings, any number as 0; no marks."""
    found = []
    for unit in _UNIT.findall(text):
        if unit in _MARKS:
            continue
        if unit[0].isdecimal():
            unit = "0"
        elif unit.isascii():
            unit = root(unit)
        found.append(unit)
    return found


def grams_of(units: Sequence[str]) -> list[str]:
    """The units and the pairs of neighbours, each once."""
    return list(dict.fromkeys([*units, *(f"{a} {b}" for a, b in pairwise(units))]))

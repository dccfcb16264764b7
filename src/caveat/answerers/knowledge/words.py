"""The words of questions and predicates: folded, masked, in units and pairs of units, and how telling each is."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise

import msgspec
import numpy as np

from caveat.answerers.knowledge.index.folding import fold
from caveat.answerers.knowledge.index.names import QUOTES, other_names
from caveat.language.stems import root
from caveat.language.tokens import STOP_WORDS

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


class FoldedQuestion:
    """A question, folded, with the way from offsets in it to those in the folded text."""

    def __init__(self, text: str) -> None:
        folded = fold(text)
        self.text = text
        self.folded = folded.text
        self._origin = folded.origin

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the question is in the folded text."""
        first, last = np.searchsorted(self._origin, (start, end)).tolist()
        return first, last

    def masked(self, start: int, end: int) -> str:
        """The folded text with a stretch of it, and the quotes around that, replaced by a mask."""
        before, after = self.folded[:start].rstrip(), self.folded[end:].lstrip()
        while before and after and QUOTES.get(before[-1]) == after[0]:
            before, after = before[:-1].rstrip(), after[1:].lstrip()
        return f"{before}{MASK}{after}"

    def find(self, entity: str) -> tuple[int, int] | None:
        """Where the folded text has an entity's name, or that without brackets or quotes; the first place."""
        for name in (entity, *other_names(entity)):
            wanted = fold(name).text
            at = self.folded.find(wanted) if wanted else -1
            if at >= 0:
                return at, at + len(wanted)
        return None


_UNSEEN, _OF_STOP_WORDS = 6.0, 0.3


class WordCounts(msgspec.Struct, frozen=True):
    """Counts over masked training questions: in how many a unit is, and how often a short stretch stands in them.

    Units and stretches that come a few times only are left out.
    """

    questions: int
    units: dict[str, int]
    stretches: dict[str, int]

    def weight(self, unit: str) -> float:
        """How telling a unit is: the rarer, the more."""
        if unit in _stop_roots():
            return _OF_STOP_WORDS
        count = self.units.get(unit)
        return _UNSEEN if count is None else min(_UNSEEN, math.log(self.questions / count))

    def total(self, units: Iterable[str]) -> float:
        """The sum of their weights."""
        return sum(map(self.weight, units))

    def commonness(self, name: str) -> float:
        """The logarithm of how often a folded name stands in questions that are not about it."""
        return math.log1p(self.stretches.get(name, 0))


def related(unit: str) -> frozenset[str]:
    """The units of predicates that a unit of an English question may mean."""
    return _related().get(unit, frozenset())


@cache
def _stop_roots() -> frozenset[str]:
    return frozenset(root(word) for word in STOP_WORDS if word.isascii())


@cache
def _related() -> dict[str, frozenset[str]]:
    text = (files("caveat.answerers.knowledge") / "english.toml").read_text(encoding="utf-8")
    raw = tomllib.loads(text)
    return {root(word): frozenset(map(root, several.split())) for word, several in raw["related"].items()}

"""How telling the words of a question are, and how common a name is as a word; counted in training questions."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

import msgspec

from caveat.language.stems import root
from caveat.language.stop_words import STOP_WORDS

__all__ = ["WordCounts", "related"]

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

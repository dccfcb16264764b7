"""English verb forms, as far as a clause is to be turned into a question: bases, third persons, pasts, participles."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

__all__ = ["Verbs", "verbs"]

_VOWELS = frozenset("aeiou")
# A short final syllable: its consonant is written twice before -ed and -ing (stop, stopped; not open, opened).
_DOUBLING = frozenset(
    "cancel commit control cut defer enrol fit get let permit plan put refer run set sit stop submit swim top "  # noqa: SIM905
    "transfer travel win begin forget".split()
)


class Verbs(NamedTuple):
    """Each form with the base it belongs to; one form may stand in several of the tables ("cut", "paid")."""

    bases: frozenset[str]
    third_persons: dict[str, str]
    pasts: dict[str, str]
    participles: dict[str, str]
    gerunds: dict[str, str]


@cache
def verbs() -> Verbs:
    """The verbs of `verbs.txt`, with regular forms spelt out."""
    bases: list[str] = []
    third_persons: dict[str, str] = {}
    pasts: dict[str, str] = {}
    participles: dict[str, str] = {}
    gerunds: dict[str, str] = {}
    text = (files(__package__) / "verbs.txt").read_text("utf-8")
    for line in text.splitlines():
        base, *irregular = line.split()
        if base == "#":
            continue
        past, participle = irregular or (_with_ed(base), _with_ed(base))
        bases.append(base)
        third_persons[_third_person(base)] = base
        pasts[past] = participles[participle] = base
        gerunds[_with_ing(base)] = base
    return Verbs(frozenset(bases), third_persons, pasts, participles, gerunds)


def _third_person(base: str) -> str:
    if base in ("be", "have"):
        return {"be": "is", "have": "has"}[base]
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    return base[:-1] + "ies" if _ends_in_consonant_y(base) else base + "s"


def _with_ed(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if _ends_in_consonant_y(base) else _stem(base) + "ed"


def _with_ing(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe")) and base != "be":
        return base[:-1] + "ing"
    return _stem(base) + "ing"


def _stem(base: str) -> str:
    return base + base[-1] if base in _DOUBLING else base


def _ends_in_consonant_y(base: str) -> bool:
    return base.endswith("y") and base[-2] not in _VOWELS

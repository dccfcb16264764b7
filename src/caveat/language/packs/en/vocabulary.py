"""English words by what they do in a clause, and verbs with their forms; read from data files when first needed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

_VOWELS = frozenset("aeiou")


class Vocabulary(msgspec.Struct, frozen=True):
    """The words of `clause_words.toml`, which says what each group is."""

    pronouns: frozenset[str]
    determiners: frozenset[str]
    definite: frozenset[str]
    auxiliaries: frozenset[str]
    adverbs: frozenset[str]
    relatives: frozenset[str]
    subordinators: frozenset[str]
    subordinating_prepositions: frozenset[str]
    prepositions: frozenset[str]
    before_contracted_is: frozenset[str]
    doubling_verbs: frozenset[str]
    verbs_and_nouns: frozenset[str]
    descriptive_participles: frozenset[str]
    done_to_persons: frozenset[str]
    want_an_object: frozenset[str]
    want_a_clause: frozenset[str]
    after_the_head: frozenset[str]
    institutions: frozenset[str]
    roles: frozenset[str]
    other_subjects: frozenset[str]
    opposites: dict[str, str]


@cache
def vocabulary() -> Vocabulary:
    """The groups of words, each pair of opposites both ways."""
    groups = tomllib.loads((files(__package__) / "clause_words.toml").read_text("utf-8"))
    opposites: dict[str, str] = {}
    for left, right in groups.pop("opposites").items():
        opposites |= {left: right, right: left}
    return Vocabulary(
        **{name: frozenset(words.split()) for name, words in groups.items()}, opposites=opposites
    )


def any_of(words: Iterable[str]) -> str:
    """A regular expression for one of the words."""
    return f"(?:{'|'.join(sorted(words))})"


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
    return base + base[-1] if base in vocabulary().doubling_verbs else base


def _ends_in_consonant_y(base: str) -> bool:
    return base.endswith("y") and base[-2] not in _VOWELS

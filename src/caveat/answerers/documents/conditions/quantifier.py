"""How many of a list's items are required: all, any, none; from the introducing words and from the items' ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from caveat.answerers.documents.conditions.clause import AUXILIARIES, bare, is_verb_phrase, parse_clause

__all__ = ["Quantifier", "quantifier"]

Quantifier = Literal["all", "any", "none"]

_NONE = re.compile(r"\b(?:none|neither)(?: of)?\b", re.IGNORECASE)
_ANY = re.compile(
    r"\b(?:any (?:one |\d+ )?of|any one|either|(?:one|1)(?: or more)? of|one or more|at least (?:one|1)|whichever"
    r"|any (?:following|these)|such as|for example|including|like)\b",
    re.IGNORECASE,
)
_ALL = re.compile(r"\b(?:all (?:of|the|these|following)|both|each of|every one of)\b", re.IGNORECASE)
_ENDS = re.compile(r"[\s,;](and|or)[\s,;]*$", re.IGNORECASE)
# What "you" have a right to, are free of, or are bound to takes all of its conditions; what happens takes one.
_EARNED = re.compile(
    r"\b(?:qualif(?:y|ies)|eligible|entitled|not (?:have|need) to|not need|not be (?:affected|charged))\b"
    r"|^you (?:can|could|must|may be able to|might be able to)\b(?!['’]t)",
    re.IGNORECASE,
)
_HAPPENS = re.compile(
    r"\b(?:not (?:be )?(?:eligible|entitled|qualify|able)|still|sometimes|for example|also)\b", re.IGNORECASE
)
_DENIED = re.compile(r"(?:\b(?:are|is|were|was|be)|['’]re|['’]s) not$", re.IGNORECASE)
# Longer lists without a word on it are of ways, not of demands.
_MOST_DEMANDS = 5


def quantifier(
    introduction: str, items: Sequence[str], *, consequence: str = "", required: bool = False
) -> Quantifier:
    """How many of the items are required.

    The introduction says it, or the word at the end of an item ("…, and"). Where neither does: what must be is
    all of it; items that each fill the same gap ("if you get:", "Income Support") are alternatives; whole
    conditions are all wanted for what "you" can or must do, and one is enough for what else happens.
    """
    tail = introduction[-160:]
    if _NONE.search(tail):
        return "none"
    last_any = max((match.start() for match in _ANY.finditer(tail)), default=-1)
    last_all = max((match.start() for match in _ALL.finditer(tail)), default=-1)
    if last_any >= 0 or last_all >= 0:
        return "any" if last_any > last_all else "all"
    for item in items[:-1]:
        if ends := _ENDS.search(item):
            return "all" if ends[1].lower() == "and" else "any"
    # What denies each item denies them all: "if you’re not:", "British", "Irish".
    if required or _DENIED.search(tail.rstrip(" :")):
        return "all"
    if len(items) > 1 and len({tuple(item.lower().split()[:3]) for item in items}) == 1:
        return "any"  # "you live in …" three times
    whole = [parse_clause(item) is not None or is_verb_phrase(item) or _begins_finite(item) for item in items]
    demands = sum(whole) * 2 >= len(whole) and len(items) <= _MOST_DEMANDS
    earned = _EARNED.search(consequence) and not _HAPPENS.search(consequence)
    return "all" if demands and earned else "any"


def _begins_finite(item: str) -> bool:
    """ "were a member", "has paid": the subject stands in the introduction."""
    return bare(item.split(maxsplit=1)[0]) in AUXILIARIES if item.strip() else False

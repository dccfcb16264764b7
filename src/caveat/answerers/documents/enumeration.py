"""A span that lists several things, as the several things: "Ashford, Breck and Colwell" is three answers.

English alone: in Chinese a tagger finds the items (`caveat.answerers.documents.structure.finder`).
"""

from __future__ import annotations

import re

import msgspec

from caveat.core.records import Answer
from caveat.language.numbers import number_words

__all__ = ["asks_for_several", "itemised", "items_of"]

_SEPARATOR = re.compile(
    r"\s*[,;]\s*(?:(?:and|or)\s+)?(?:as well as\s+|also\s+)?(?<![\d][,;])(?=\S)|\s+(?:and|or|&|as well as)\s+",
)
_LAST = re.compile(r"\b(?:and|or|as well as)\b|&")
# What is longer says something of the things; it does not name one.
_MOST_WORDS = 7
_SEVERAL = re.compile(
    rf"\b(?:{'|'.join(number_words(2, 10))}|several|both|all|some|various|many|list|names)\b"
    r"|\b(?:what|which|who) (?:are|were|else)\b"
    r"|\b(?:what|which) (?:(?!VERB)\w+ ){0,2}?(?:(?!VERB)\w+[^isu\W]s|\w+ies|people|men|women|children)\b".replace(
        "VERB", r"(?:is|was|has|does|goes|did|do|can|could|will|would|may|must|his|its|this)\b"
    ),
    re.IGNORECASE,
)
# Where an item begins so, it goes on about the one before it: "Paris, where …".
_GOES_ON = re.compile(
    r"(?:who|whom|whose|which|that|where|when|while|because|since|so|but|if|to|by|in|on|at|for|from|with|of|as|is|are"
    r"|was|were|has|have|had|not|then|Jr|Sr|Inc|Ltd|LLC|etc)\b",
    re.IGNORECASE,
)


def itemised(answer: Answer, text: str, question: str) -> tuple[Answer, ...]:
    """The items of an answer from this text, each under its conditions; none where it is one thing."""
    place = answer.place
    if place is None or place.start is None or place.end is None:
        return ()
    items = items_of(text, place.start, place.end, several=asks_for_several(question))
    return tuple(
        msgspec.structs.replace(
            answer,
            text=text[start:end],
            place=msgspec.structs.replace(place, start=start, end=end),
        )
        for start, end in items
    )


def asks_for_several(question: str) -> bool:
    """Whether an English question asks for more than one thing: "which districts", "name two", "who were"."""
    return _SEVERAL.search(question) is not None


def items_of(text: str, start: int, end: int, *, several: bool = False) -> list[tuple[int, int]]:
    """The items of the enumeration `text[start:end]`, as half-open spans; none where it is no enumeration.

    Three things with an "and" or "or" before the last are one. Two may be a name ("Trinidad and Tobago") or one matter,
    and commas alone may part a place from its country: these are items where several things were asked for.
    """
    items: list[tuple[int, int]] = []
    at = start
    joints = [*_SEPARATOR.finditer(text, start, end)]
    for joint in joints:
        items.append((at, joint.start()))
        at = joint.end()
    items.append((at, end))
    if len(items) < 2 or any(not 0 < len(text[a:b].split()) <= _MOST_WORDS for a, b in items):
        return []
    if any(_GOES_ON.match(text, a) for a, _ in items[1:]):
        return []
    listed = len(items) > 2 and _LAST.search(joints[-1].group()) is not None
    return items if listed or several else []

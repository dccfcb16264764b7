"""Whether an object can be what a question asks for: a date for "when", a number for "how many", a name for "who"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caveat.language.numbers import CHINESE_NUMERALS

__all__ = ["OBJECT_FEATURES", "object_features"]

_LOOKED_AT = 60
_NUMERAL = re.compile(rf"[0-9０-９]|[{CHINESE_NUMERALS}]+[个名位年月日米里人种次元岁层座只部章件条所]")
_DATE = re.compile(
    r"[12][0-9]{3}|[0-9]{1,2}[月日]|世纪|年|\b(?:january|february|march|april|may|june|july|august|september"
    r"|october|november|december|century)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"[省市县区镇乡村路街州国洲岛山]|[东西南北]部|\b(?:city|county|street|province|state)\b", re.IGNORECASE
)
_LONGEST_NAME = 30

# A column for what a type of question wants and for what speaks against it.
OBJECT_FEATURES = (
    *("when: date", "when: none", "how many: number", "how many: none", "who: name", "who: number"),
    *("where: place", "where: number", "other: number", "other: date"),
)


def object_features(asked: str, object: str) -> Iterator[str]:
    """The columns that hold for an object and a question of a type; the type is that of `question_type`."""
    head = object[:_LOOKED_AT]
    number = _NUMERAL.search(head) is not None
    date = number and _DATE.search(head) is not None
    if asked == "when":
        yield "when: date" if date else "when: none"
    elif asked in ("how many", "how long"):
        yield "how many: number" if number else "how many: none"
    elif asked == "who":
        if number:
            yield "who: number"
        elif len(object) <= _LONGEST_NAME:
            yield "who: name"
    elif asked == "where":
        if _PLACE.search(head):
            yield "where: place"
        if number:
            yield "where: number"
    else:
        if number:
            yield "other: number"
        if date:
            yield "other: date"

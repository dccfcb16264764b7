"""Quantities in English text as intervals: "over 60", "£113 a week", "at least 26 weeks", "before 6 April 1951"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from math import inf
from typing import Literal, NamedTuple

__all__ = ["Dimension", "Quantity", "quantities"]

Dimension = Literal["age", "money", "duration", "size", "percent", "length", "weight", "date"]

_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "  # noqa: SIM905
        "seventeen eighteen nineteen twenty".split()
    )
} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
}
_NUMBER = (
    rf"(?:\d[\d,]*(?:\.\d+)?|\b(?:{'|'.join(_WORDS)})\b"
    r"|\ban?(?= (?:day|week|month|year|mile|hundred|thousand|million)))"
)
_SCALE = r"(?:\s?(?P<scale>k|m|thousand|million|hundred)\b)?"
_UNITS: dict[str, tuple[Dimension, float]] = {
    "day": ("duration", 1),
    "week": ("duration", 7),
    "month": ("duration", 30.4),
    "year": ("duration", 365),
    "kb": ("size", 1e-3),
    "mb": ("size", 1),
    "gb": ("size", 1e3),
    "mile": ("length", 1609),
    "kilometre": ("length", 1000),
    "km": ("length", 1000),
    "metre": ("length", 1),
    "meter": ("length", 1),
    "cm": ("length", 0.01),
    "kg": ("weight", 1),
    "%": ("percent", 1),
    "percent": ("percent", 1),
    "per cent": ("percent", 1),
    "pound": ("money", 1),
    "dollar": ("money", 1),
    "euro": ("money", 1),
}
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "hundred": 100.0}
_PERIODS = {"day": 365, "week": 52, "month": 12, "year": 1}
_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_LOWER = r"(?:over|more than|above|exceed(?:s|ing)?|greater than|older than|longer than|after|since)"
_LOWER_TOO = r"(?:at least|a minimum of|minimum|not less than|no less than|from|on or after)"
_UPPER = r"(?:under|less than|below|fewer than|younger than|before)"
_UPPER_TOO = r"(?:up to|at most|no more than|not more than|a maximum of|within|until|on or before|by)"
_BEFORE = re.compile(
    rf"\b(?:(?P<above>{_LOWER})|(?P<least>{_LOWER_TOO})|(?P<below>{_UPPER})|(?P<most>{_UPPER_TOO}))"
    r"(?: the)?(?: age(?: of)?| aged)?\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:(?P<least>(?:or|and) (?:over|more|older|above|later)\b|\+)"
    r"|(?P<most>(?:or|and) (?:less|under|younger|fewer|below|earlier)\b(?! \d)))",
    re.IGNORECASE,
)
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? )?(?P<month>{'|'.join(_MONTHS)}),? (?:of )?(?P<year>\d{{4}})\b"
    r"|\b(?P<alone>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    rf"(?P<sign>[£$€])?\s?(?P<number>{_NUMBER}){_SCALE}[\s-]?"
    rf"(?P<unit>%|(?:{'|'.join(unit for unit in _UNITS if unit != '%')})s?\b)?(?P<old>[\s-]olds?\b)?",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"\s*(?:an?|per|each|every|/)\s*(day|week|month|year)\b|\s*(weekly|monthly|annually|yearly)\b",
    re.IGNORECASE,
)
_AGE_BEFORE = re.compile(
    r"\b(?:aged?(?: of)?|i am|i['’]m|im|you are|you['’]re|are you|is|am|turn(?:ed|s)?|he is|she is"
    rf"|{_LOWER}|{_LOWER_TOO}|{_UPPER}|{_UPPER_TOO}|between)(?: the age(?: of)?| aged)?(?: now| currently| only)?\s*$",
    re.IGNORECASE,
)
_AGE_AFTER = re.compile(
    r"\s*(?:$|[,.;?!]|and\b|or\b|years old|on\b|when\b|now\b|but\b|with\b|who\b)", re.IGNORECASE
)


class Quantity(NamedTuple):
    """An interval, ends included, of what is measured; money a year where a period is given."""

    dimension: Dimension
    low: float
    high: float
    start: int
    periodic: bool = False


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text in order; a number without a unit is an age where it can be one."""
    dates = list(_dates(text))
    taken = [(found.start, end) for found, end in dates]
    found = [quantity for quantity, _ in dates]
    for match in _MEASURE.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end in taken):
            for quantity in _measure(text, match):
                found.append(quantity)
                if quantity.periodic:
                    taken.append((match.end(), match.end() + len(" per month")))
    return sorted(found, key=lambda quantity: quantity.start)


def _dates(text: str) -> Iterator[tuple[Quantity, int]]:
    for match in _DATE.finditer(text):
        if text[max(0, match.start() - 1) : match.start()] in ("£", "$", "€"):
            continue
        year = int(match["alone"] or match["year"])
        if match["alone"]:
            low, high = date(year, 1, 1), date(year, 12, 31)
        else:
            month = _MONTHS.index(match["month"].lower()) + 1
            day = min(int(match["day"]), 28) if match["day"] else 0
            low, high = date(year, month, day or 1), date(year, month, day or 28)
        interval = _interval(text, match.start(), match.end(), low.toordinal(), high.toordinal())
        yield Quantity("date", *interval, match.start()), match.end()


def _measure(text: str, match: re.Match[str]) -> Iterator[Quantity]:
    number = match["number"].lower().rstrip(",")
    value = float(_WORDS.get(number, 1) if not number[0].isdigit() else number.replace(",", ""))
    value *= _SCALES.get((match["scale"] or "").lower(), 1)
    unit = (match["unit"] or "").lower()
    unit = unit if unit in _UNITS else unit.removesuffix("s")
    end = match.end()
    if match["sign"] or _UNITS.get(unit, ("", 0))[0] == "money":
        period = _PERIOD.match(text, end)
        times = 1.0
        if period:
            word = (period[1] or period[2]).lower()
            times = next(times for name, times in _PERIODS.items() if word.startswith((name, name[:4])))
        low, high = _interval(text, match.start(), period.end() if period else end, value, value)
        yield Quantity("money", low * times, high * times, match.start(), period is not None)
    elif unit == "year" and (match["old"] or re.match(r"\s+(?:old|of age)\b", text[end:], re.IGNORECASE)):
        yield Quantity("age", *_interval(text, match.start(), end, value, value), match.start())
    elif unit:
        dimension, size = _UNITS[unit]
        yield Quantity(
            dimension, *_interval(text, match.start(), end, value * size, value * size), match.start()
        )
    elif (
        3 <= value <= 110
        and _AGE_BEFORE.search(text[max(0, match.start() - 40) : match.start()])
        and _AGE_AFTER.match(text, end)
    ):
        yield Quantity("age", *_interval(text, match.start(), end, value, value), match.start())


def _interval(text: str, start: int, end: int, low: float, high: float) -> tuple[float, float]:
    """The interval that the words around a value make of it."""
    before = _BEFORE.search(text[max(0, start - 30) : start])
    after = _AFTER.match(text, end)
    small = 0.5 if low == int(low) else 1e-6  # whole units, so that "over 60" leaves 60 out
    if after:
        return (low, inf) if after["least"] else (-inf, high)
    if before:
        if before["above"]:
            return high + small, inf
        if before["below"]:
            return -inf, low - small
        return (low, inf) if before["least"] else (-inf, high)
    return low, high

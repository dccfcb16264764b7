"""Measures in a text as intervals: over 60, £113 a week, at least 26 weeks, before 6 April 1951, 满1年不满10年.

The units and the words that make a bound of a number are in the file intervals.toml of each language's pack.
The answer to a question about one says something of another: who is under 18 is not over 60.
"""

from __future__ import annotations

import re
from math import inf
from typing import Literal, NamedTuple, get_args

from caveat.language.dates import days_in
from caveat.language.numbers import (
    CHINESE_NUMBER,
    CHINESE_SCALE,
    ENGLISH_NUMBER,
    ENGLISH_SCALE,
    FIGURES,
    SCALES,
    alternatives,
    english_numbers,
    parse_chinese_number,
    parse_figures,
)
from caveat.language.packs import en, zh

_ENGLISH, _CHINESE = (each.PACK.data("intervals.toml") for each in (en, zh))
Dimension = Literal["age", "money", "duration", "size", "percent", "length", "weight", "grade", "date"]

_UNITS: dict[str, tuple[Dimension, float]] = {
    unit: (dimension, size)
    for language in (_ENGLISH, _CHINESE)
    for dimension in get_args(Dimension)
    for unit, size in language["units"].get(dimension, {}).items()
}
_SHORT_SCALES = {"k": 1_000, "m": 1_000_000}
_ENGLISH_UNIT = rf"(?:{alternatives(unit for unit in _UNITS if unit.isascii() and unit != '%')})s?\b"
# "15+ years", "3 or more years".
_BOUND_INSIDE = (
    rf"(?:(?P<least_inside>\+|\sor\s(?:{alternatives(_ENGLISH['least_after'])}))"
    rf"|\sor\s(?P<most_inside>{alternatives(_ENGLISH['most_after'])}))(?=[\s-]?(?:{_ENGLISH_UNIT}))"
)
_MEASURE = re.compile(
    r"(?P<sign>[£$€¥￥])?\s?(?<![A-Za-z\d_.第])(?P<percent>百分之)?"
    rf"(?:(?P<figures>{FIGURES})(?:\s?(?P<scale>[km]\b|{ENGLISH_SCALE}|{CHINESE_SCALE}))?"
    rf"|(?P<words>{ENGLISH_NUMBER}|\b(?P<half_a>half\s)?an?(?=\s(?:{_ENGLISH_UNIT})))"
    rf"|(?P<numeral>{CHINESE_NUMBER})|(?P<half_of>(?<![上下前后大])半(?=个?[年月天周星])))"
    rf"(?P<half_before>个半(?=月|星期))?(?:{_BOUND_INSIDE})?(?:[\s-]?(?P<unit>%|％|{_ENGLISH_UNIT}"
    rf"|(?:{alternatives(unit for unit in _UNITS if not unit.isascii() and unit != '日')}|(?<=个半)月)(?![级代度])"
    r"|日(?=[之以]?内|以[上下])))?(?P<half>半(?![年月天])|\sand\sa\shalf\b)?(?P<old>[\s-](?:olds?|of\sage)\b)?",
    re.IGNORECASE,
)


def _bound(name: str, words: str, before: str = r"\b", after: str = "") -> str:
    english, chinese = alternatives(_ENGLISH[words]), alternatives(_CHINESE[words])
    return f"(?P<{name}>{before}(?:{english}){after}|{chinese})"


_BOUND_BEFORE = re.compile(
    rf"(?:{'|'.join(_bound(name, name) for name in ('above', 'least', 'below', 'most'))})"
    r"(?: the)?(?: age(?: of)?| aged)?\s*$",
    re.IGNORECASE,
)
_AT_LEAST = _bound("least", "least_after", "(?:or|and) ", r"\b|\+")
_AT_MOST = _bound("most", "most_after", "(?:or|and) ", r"\b(?! \d)")
_BOUND_AFTER = re.compile(rf"\s*(?:{_AT_LEAST}|{_AT_MOST})", re.IGNORECASE)
# After a duration 前 says how long ago.
_BOUND_AFTER_DATE = re.compile(rf"\s*(?:{_AT_LEAST}|{_AT_MOST}|(?P<until>前))", re.IGNORECASE)
_PERIODS: dict[str, int] = _ENGLISH["periods"] | _CHINESE["periods"]
_PERIOD = re.compile(
    r"\s*(?:an?|per|each|every|/)\s*(?P<of>day|week|month|year)\b|\s*(?P<adverb>weekly|monthly|annually|yearly)\b"
    rf"|\s*[/每]个?(?P<each>{alternatives(_CHINESE['periods'])})",
    re.IGNORECASE,
)
_PERIOD_BEFORE = re.compile(rf"每个?({alternatives(_CHINESE['periods'])})[^\d\s，。；、]{{0,8}}$")
_AGE_BEFORE = re.compile(
    r"\b(?:"
    + alternatives(
        word for name in ("before_age", "above", "least", "below", "most") for word in _ENGLISH[name]
    )
    + r")(?: the age(?: of)?| aged)?(?: now| currently| only)?\s*$",
    re.IGNORECASE,
)
_AGE_AFTER = re.compile(rf"\s*(?:$|[,.;?!]|(?:{alternatives(_ENGLISH['after_age'])})\b)", re.IGNORECASE)
_TO = re.compile(r"\s*(?:to|-|–|—|~|～|至|到)\s*", re.IGNORECASE)
_AND = re.compile(r"\s*(?:and|和|与)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween(?: the ages? of)?\s*$|在\s*$", re.IGNORECASE)
# 满1年不满10年 is one interval; "at least 16 and under 19" may be of two things.
_BESIDE = re.compile(r"[\s，,、且并而但]*")
_DIGIT = re.compile(r"\d")


class Interval(NamedTuple):
    """An interval, ends included, of what is measured; money is that of a year where a period is given."""

    dimension: Dimension
    low: float
    high: float
    start: int
    end: int
    periodic: bool = False


class _Measure(NamedTuple):
    """A value before the words around it are looked at; without a unit it has no dimension."""

    dimension: Dimension | None
    low: float
    high: float
    start: int
    end: int
    size: float = 1.0
    times: int = 0


def intervals_in(text: str) -> list[Interval]:
    """What a text says of measures, in order; a number without a unit is an age where it can be one.

    Durations are in days, lengths in metres, weights in kilograms, dates as the ordinals of days.
    """
    measures = _measures(text)
    found: list[Interval] = []
    at = 0
    while at < len(measures):
        both = _range(text, *measures[at : at + 2]) if at + 1 < len(measures) else None
        at += 1 if both is None else 2
        interval = _bounded(text, measures[at - 1]) if both is None else both
        if interval is not None:
            if found and (joined := _joined(text, found[-1], interval)):
                found[-1] = joined
            else:
                found.append(interval)
    return found


def _measures(text: str) -> list[_Measure]:
    found: list[_Measure] = []
    covered = bytearray(len(text))
    for first, last, start, end in days_in(text) if _DIGIT.search(text) else ():
        counted = (other := _MEASURE.match(text, start)) is not None and end - start == 4 and other["unit"]
        if not counted and text[max(0, start - 1) : start] not in tuple("£$€¥￥"):
            found.append(_Measure("date", first.toordinal(), last.toordinal(), start, end))
            covered[start:end] = b"\1" * (end - start)
    for match in _MEASURE.finditer(text):
        if covered.find(1, match.start(), match.end()) < 0 and (measure := _measure(text, match)) is not None:
            found.append(measure)
            covered[match.end() : measure.end] = b"\1" * (measure.end - match.end())
    return sorted(found, key=lambda measure: measure.start)


def _measure(text: str, match: re.Match[str]) -> _Measure | None:
    value, start = _value(text, match)
    if value is None:
        return None
    unit, end = (match["unit"] or "").lower(), match.end()
    if unit not in _UNITS:
        unit = "个月" if unit == "月" else unit.removesuffix("s")
    dimension: Dimension | None
    dimension, size = ("percent", 1.0) if match["percent"] else _UNITS.get(unit, (None, 1.0))
    if match["sign"] or dimension == "money":
        before, after = _PERIOD_BEFORE.search(text, max(0, start - 12), start), _PERIOD.match(text, end)
        each = (after["of"] or after["adverb"] or after["each"]) if after else before[1] if before else ""
        return _Measure(
            "money", value, value, start, after.end() if after else end, times=_PERIODS.get(each.lower(), 0)
        )
    if unit == "year" and match["old"]:
        return _Measure("age", value, value, start, end)
    if dimension is None and (match["numeral"] or match["half_of"]):
        return None
    # Rounded, so that twelve months are a year.
    value = round(value * size, 6)
    low, high = -inf if match["most_inside"] else value, inf if match["least_inside"] else value
    return _Measure(dimension, low, high, start, end, size)


def _value(text: str, match: re.Match[str]) -> tuple[float | None, int]:
    """The number of a measure and where it begins: of several words for numbers in a row the last is measured."""
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    value: float | None = 0.0
    if match["figures"]:
        scale = (match["scale"] or "").lower()
        value = parse_figures(match["figures"]) * (_SHORT_SCALES.get(scale) or SCALES.get(scale, 1))
    elif match["numeral"]:
        value = parse_chinese_number(match["numeral"])
    elif match["words"]:
        numbers = english_numbers(text, match.start("words"), match.end("words"))
        value = numbers[-1].value if numbers else 0.5 if match["half_a"] else 1.0
        start = numbers[-1].start if len(numbers) > 1 else start
    halves = sum(match[name] is not None for name in ("half", "half_before", "half_of"))
    return (None if value is None else value + 0.5 * halves), start


def _range(text: str, first: _Measure, second: _Measure) -> Interval | None:
    """From one to the other, where that is said; a unit may stand with the second alone."""
    gap = text[first.end : second.start]
    between = _BETWEEN.search(text, max(0, first.start - 24), first.start) or text.startswith(
        "之间", second.end
    )
    if not (_TO.fullmatch(gap) or (between and _AND.fullmatch(gap))):
        return None
    dimension = second.dimension or first.dimension
    if dimension is None and _may_be_age(text, first.low, first.start, second.end):
        dimension = "age"
    low = first.low if first.dimension else round(first.low * second.size, 6)
    high = second.high if second.dimension else round(second.high * first.size, 6)
    if dimension is None or low > high or {first.dimension, second.dimension} - {None, dimension}:
        return None
    bound = _BOUND_BEFORE.search(text, max(0, first.start - 30), first.start)
    if bound and bound["below"]:  # "before the 2018 to 2019 academic year"
        low, high = -inf, low - _step(dimension, low)
    elif bound and bound["above"]:
        low, high = high + _step(dimension, high), inf
    times = second.times or first.times
    return Interval(dimension, low * (times or 1), high * (times or 1), first.start, second.end, times > 0)


def _may_be_age(text: str, value: float, start: int, end: int) -> bool:
    if not 3 <= value <= 110 or _AGE_AFTER.match(text, end) is None:
        return False
    return _AGE_BEFORE.search(text, max(0, start - 40), start) is not None


def _bounded(text: str, measure: _Measure) -> Interval | None:
    """The interval that the words around a value make of it."""
    dimension, low, high, start, end, _, times = measure
    if dimension is None:
        if not _may_be_age(text, low, start, end):
            return None
        dimension = "age"
    before = _BOUND_BEFORE.search(text, max(0, start - 30), start)
    if low < high and dimension != "date":  # its own words have made a bound of it
        pass
    elif after := (_BOUND_AFTER_DATE if dimension == "date" else _BOUND_AFTER).match(text, end):
        low, high, end = (low, inf, after.end()) if after["least"] else (-inf, high, after.end())
    elif before:
        step = _step(dimension, low)
        if before["above"]:
            low, high = high + step, inf
        elif before["below"]:
            low, high = -inf, low - step
        else:
            low, high = (low, inf) if before["least"] else (-inf, high)
    return Interval(dimension, low * (times or 1), high * (times or 1), start, end, times > 0)


def _step(dimension: Dimension, value: float) -> float:
    """What "over" leaves out: of what is counted in whole units less than the next, so that "over 60" begins at 61."""
    if dimension in ("money", "percent"):
        return 0.001
    return 0.5 if value == int(value) else 1e-6


def _joined(text: str, first: Interval, second: Interval) -> Interval | None:
    """Both as one where a lower bound and an upper bound of the same stand side by side."""
    if first[0] != second[0] or first.periodic != second.periodic or first.high < inf or second.low > -inf:
        return None
    before = _BOUND_BEFORE.search(text, max(first.end, second.start - 30), second.start)
    gap = text[first.end : before.start() if before else second.start]
    if first.low > second.high or not _BESIDE.fullmatch(gap):
        return None
    return second._replace(low=first.low, start=first.start)


def implied(asked: str, yes: bool, other: str) -> bool | None:
    """The answer to `other` that follows from yes or no to `asked`; None where none does.

    Both ask of the same measure, in the same words but for the numbers and what bounds them.
    """
    one, two = _only_measure(asked), _only_measure(other)
    if one is None or two is None:
        return None
    (known, words), (wanted, others) = one, two
    if (known.dimension, known.periodic) != (wanted.dimension, wanted.periodic) or not _alike(words, others):
        return None
    if yes:
        if wanted.low <= known.low and known.high <= wanted.high:
            return True
        return False if known.high < wanted.low or wanted.high < known.low else None
    if known.low <= wanted.low and wanted.high <= known.high:
        return False
    # Of what is not in the one, all is in the other: both go on for ever on their own side.
    above = known.low == -inf and wanted.high == inf and wanted.low <= known.high + 1
    below = known.high == inf and wanted.low == -inf and wanted.high >= known.low - 1
    return True if above or below else None


def _only_measure(text: str) -> tuple[Interval, frozenset[str]] | None:
    found = intervals_in(text)
    if len(found) != 1:
        return None
    measure = found[0]
    around = f"{text[: measure.start]} {text[measure.end :]}".casefold()
    return measure, frozenset(around if any(ord(each) > 0x2E7F for each in around) else around.split())


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether half of all their words are in both."""
    return 2 * len(words & others) >= len(words | others)

"""Quantities, numbers with units: 12 %, $3 million, 3.2万, 2:31.5, 6' 3", 两年半, 百分之三十.

The cells that say nothing are in quantities.toml, the units of a language in the file of that name in its pack.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

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
    scaled,
)
from caveat.language.packs import zh


class Quantity(NamedTuple):
    """A number and what stands after or before it: a unit, a currency, %."""

    value: float
    unit: str = ""


class FoundQuantity(NamedTuple):
    """A number in a longer text, with its half-open span; the unit is the word or sign that follows."""

    value: float
    unit: str
    start: int
    end: int


_DATA = tomllib.loads(Path(__file__).with_name("quantities.toml").read_text(encoding="utf-8"))
_CHINESE = zh.PACK.data("quantities.toml")
_BLANK = frozenset(_DATA["blank"])
_DECIMAL_COMMA = r"\d{1,3}(?:[.\u00a0\u202f ]\d{3})+(?!\d)(?:,\d+)?|\d+(?:,\d+)?"
_CURRENCY = r"(?:US|HK|NT|C|A|NZ|S)?\$|£|€|¥|￥|₹|₽|₩|USD|EUR|GBP|RMB|CNY|Rs\.?"
_CHINESE_UNIT = alternatives(_CHINESE["measures"])
# Longer ones first: the unit at the beginning of what follows a number.
_MEASURING = re.compile(
    alternatives([each for each in _CHINESE["measures"] if len(each) > 1 or each in _CHINESE["measuring"]])
)
_UNIT = (
    r"%|‰|％|°\s?[CFcf]?|℃|℉|[A-Za-zµÀ-ɏ][\w/²³%.·\-]*(?:\s+[A-Za-zÀ-ɏ][\w/²³.·\-]*){0,2}"
    rf"|(?:{_CHINESE_UNIT})(?:/\w{{1,4}})?"
)
_NOTE = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）|【[^【】]*】|[*†‡§^#]+)\s*$")
_BEFORE = r"(?:about|approx\.?|circa|ca?\.|around|约|大约|近|no\.|#|№|第|[~≈<>≤≥])?"


# Compiled when first needed: no question waits for the patterns of another.
@cache
def _whole(digits: str) -> re.Pattern[str]:
    return re.compile(
        rf"\s*{_BEFORE}\s*(?P<sign>[-+−–±]?)\s*(?P<currency>{_CURRENCY})?\s*(?P<digits>{digits})"
        rf"\s*(?P<scale>{ENGLISH_SCALE}|{CHINESE_SCALE})?(?:(?P<rest>\d[\d.]*)(?P<rest_scale>{CHINESE_SCALE})?)?"
        rf"\s*(?P<behind>{_CURRENCY})?\s*(?P<unit>{_UNIT})?\s*\.?\s*$",
        re.IGNORECASE,
    )


# Seconds stay below 60, so that 78:65 is a score.
_CLOCK = re.compile(
    r"\s*\+?\s*(?:(\d{1,3}):(?=[0-5]?\d:))?(\d{1,3}):([0-5]\d(?:\.\d+)?)\s*(?:am|pm|PB|NR|WR|OR|Q|q)?\s*$"
)
_HOURS = re.compile(
    r"\s*\+?\s*(?:(\d+)\s*(?:h|hrs?|hours?|小时)\s*)?(\d+)\s*(?:m|mins?|minutes?|分钟?)"
    r"(?:\s*(\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?|秒)?)?\s*$",
    re.IGNORECASE,
)
_FEET = re.compile(
    r"\s*(\d+)\s*(?:['′’]|ft\.?|feet|foot)\s*(\d+(?:\.\d+)?)\s*(?:[\"″”]|''|in\.?|inches)?\s*$", re.IGNORECASE
)
_ORDINAL = re.compile(r"\s*(?:T|=)?(\d{1,4})(?:st|nd|rd|th)?\.?\s*$", re.IGNORECASE)
_CHINESE_QUANTITY = re.compile(
    rf"\s*(?:约|大约|近|第)?(?P<percent>百分之)?(?P<digits>{CHINESE_NUMBER})(?P<unit>{_CHINESE_UNIT})?\s*$"
)
_HALVED = alternatives(_CHINESE["halved"])
_HALF = (
    rf"(?P<more>{FIGURES}|{CHINESE_NUMBER})(?:(?P<before_half>{_HALVED}|岁)半|个半(?P<after_half>月|星期|小时|钟头))"
    rf"|(?<![一上下前后大])半(?P<half_of>{_HALVED})"
)
_WITH_HALF = rf"\s*(?:约|大约|近)?(?:{_HALF})\s*$"


def is_blank(text: str) -> bool:
    """Whether a cell says nothing: empty, a dash, n/a, unknown, 无 and the like."""
    return (stripped := text.strip()) == "" or stripped.lower() in _BLANK


def parse_quantity(text: str, *, decimal_comma: bool = False) -> Quantity | None:
    """The number that a whole text is, notes in brackets left out; None for anything else, ranges and scores too.

    Times of day and durations are in seconds, heights of feet and inches in feet.
    """
    text = text.strip()
    if not text or len(text) > 60:
        return None
    negative = text[0] == "(" and text[-1] == ")" and text[1:2].isdigit()
    if negative:
        text = text[1:-1]
    while note := _NOTE.search(text):
        text = text[: note.start()]
    quantity = _parse(text, decimal_comma) if text else None
    if quantity is not None and negative:
        return Quantity(-quantity.value, quantity.unit)
    return quantity


def _parse(text: str, decimal_comma: bool) -> Quantity | None:
    first = text[0]
    if "半" in text and (half := re.match(_WITH_HALF, text)):
        return Quantity(*_value_with_half(half))
    if not (first.isdecimal() or first in "T=+-") and (numeral := _CHINESE_QUANTITY.match(text)):
        value = parse_chinese_number(numeral["digits"])
        return (
            None if value is None else Quantity(value, numeral["unit"] or ("%" if numeral["percent"] else ""))
        )
    if ordinal := _ORDINAL.match(text):
        return Quantity(float(ordinal[1]))
    # "5m" alone may be metres.
    if (spoken := _HOURS.match(text)) and (spoken[1] or spoken[3]):
        hours, minutes, seconds = spoken.groups(default="0")
        return Quantity(3600 * float(hours) + 60 * float(minutes) + float(seconds), "s")
    if found := _whole(_DECIMAL_COMMA if decimal_comma else FIGURES).match(text):
        return _quantity(found, decimal_comma)
    if clock := _CLOCK.match(text):
        hours, minutes, seconds = clock.groups(default="0")
        return Quantity(3600 * float(hours) + 60 * float(minutes) + float(seconds), "s")
    if feet := _FEET.match(text):
        return Quantity(float(feet[1]) + float(feet[2]) / 12, "ft")
    return None


def _quantity(found: re.Match[str], decimal_comma: bool) -> Quantity | None:
    digits = found["digits"]
    if decimal_comma:
        digits = re.sub(r"[.\s]", "", digits).replace(",", ".")
    value = scaled(digits, found["scale"] or "", found["rest"] or "", found["rest_scale"] or "")
    if value is None:
        return None
    if found["sign"] in ("-", "−", "–"):
        value = -value
    unit = (found["unit"] or "").strip().rstrip(".").lower()
    return Quantity(value, unit or (found["currency"] or found["behind"] or "").lower())


def _value_with_half(found: re.Match[str]) -> tuple[float, str]:
    """两年半 → 2.5 and 年, 一个半月 → 1.5 and 月, 半天 → 0.5 and 天."""
    more = found["more"]
    value = (
        0.0
        if more is None
        else parse_figures(more)
        if more[0].isdecimal()
        else parse_chinese_number(more) or 0
    )
    return value + 0.5, found["before_half"] or found["after_half"] or found["half_of"]


_FOUND_PARTS = (
    r"(?<![\d:])(?P<clock>\d{1,2}(?::[0-5]\d){1,2}(?:\.\d+)?)(?![\d:])",
    rf"(?P<currency>{_CURRENCY})?\s?(?<![A-Za-z0-9_.])(?P<sign>-(?=\d))?(?P<digits>{FIGURES})(?![\d:])"
    rf"(?P<scale>\s?{ENGLISH_SCALE}|{CHINESE_SCALE})?(?P<ordinal>(?:st|nd|rd|th)\b)?(?:\s?(?P<unit>%|％|[^\W\d_]+))?",
    rf"(?P<words>{ENGLISH_NUMBER})",
    rf"(?P<numeral>(?![零〇○]){CHINESE_NUMBER})",
)


@cache
def _found(*, half: bool) -> re.Pattern[str]:
    """What finds numbers; 半 takes time to look for, and few texts have it."""
    first = (rf"(?<![A-Za-z0-9_.])(?:{_HALF})",) if half else ()
    return re.compile("|".join((*first, *_FOUND_PARTS)), re.IGNORECASE)


def quantities_in(text: str) -> list[FoundQuantity]:
    """The numbers of a text in their order, words for numbers among them; the span is without the unit."""
    return [
        quantity
        for match in _found(half="半" in text).finditer(text)
        for quantity in _quantities_of(text, match)
    ]


def _quantities_of(text: str, match: re.Match[str]) -> Iterator[FoundQuantity]:
    if match["clock"]:
        seconds = 0.0
        for part in match["clock"].split(":"):
            seconds = 60 * seconds + float(part)
        yield FoundQuantity(seconds, "s", match.start(), match.end())
    elif match["digits"]:
        value = parse_figures(match["digits"]) * SCALES.get((match["scale"] or "").strip().lower(), 1)
        first = next(name for name in ("currency", "sign", "digits") if match[name])
        last = next(name for name in ("scale", "ordinal", "digits") if match[name])
        start, percent = _percent_before(text, match.start(first))
        unit = percent or _unit_of((match["unit"] or match["currency"] or "").lower())
        yield FoundQuantity(-value if match["sign"] else value, unit, start, match.end(last))
    elif match["words"]:
        for number in english_numbers(text, match.start(), match.end()):
            yield FoundQuantity(number.value, "", number.start, number.end)
    elif match["numeral"]:
        value_of_numeral = parse_chinese_number(match["numeral"])
        if value_of_numeral is not None:
            start, percent = _percent_before(text, match.start())
            unit = percent or text[match.end() : match.end() + 1]
            yield FoundQuantity(value_of_numeral, unit, start, match.end())
    else:
        yield FoundQuantity(*_value_with_half(match), match.start(), match.end())


def _unit_of(run: str) -> str:
    """The unit at the beginning of what follows a number; in Chinese nothing parts it from the words behind it."""
    found = _MEASURING.match(run)
    return found[0] if found else run


def _percent_before(text: str, start: int) -> tuple[int, str]:
    """Where a number begins with the 百分之 that may stand before it, and % if it does."""
    before = max(0, start - len("百分之"))
    return (before, "%") if text.startswith("百分之", before) else (start, "")

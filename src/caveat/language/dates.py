"""Dates as people write them, whole or in part: 12 May 2010, May 2010, 2010-05-12, 2010年5月12日, 1998–2001, 1990s."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["MONTHS", "FoundDate", "PartialDate", "dates_in", "parse_date"]


class PartialDate(NamedTuple):
    """A date of which parts may be unknown, which are 0; dates compare in the order of time."""

    year: int = 0
    month: int = 0
    day: int = 0

    @property
    def ordinal(self) -> float:
        """A number that grows with time: 20100512 for 12 May 2010."""
        return float(10_000 * self.year + 100 * self.month + self.day)


class FoundDate(NamedTuple):
    """A date in a longer text, with its half-open span."""

    date: PartialDate
    start: int
    end: int


_NAMES = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
MONTHS: dict[str, int] = {name: number for number, name in enumerate(_NAMES, 1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?:1[0-9]|20|21)\d\d"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_NUMBER_OF_MONTH = r"(?:1[0-2]|0?[1-9])"

_FORMS = (
    rf"(?P<y>{_YEAR})[-/.](?P<m>{_NUMBER_OF_MONTH})[-/.](?P<d>{_DAY})(?!\d)(?:[T ]\d\d:\d\d(?::\d\d)?)?",
    rf"(?P<y>{_YEAR})\s*年(?:\s*(?P<m>{_NUMBER_OF_MONTH})\s*月(?:\s*(?P<d>{_DAY})\s*[日号])?)?",
    rf"(?P<m>{_NUMBER_OF_MONTH})\s*月\s*(?P<d>{_DAY})\s*[日号]",
    rf"(?P<d>{_DAY})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<n>{_MONTH}),?(?:\s+(?P<y>{_YEAR}))?",
    rf"(?P<n>{_MONTH})\s+(?P<d>{_DAY})(?:st|nd|rd|th)?(?!\d),?(?:\s+(?P<y>{_YEAR}))?",
    rf"(?P<n>{_MONTH}),?\s+(?P<y>{_YEAR})",
    rf"(?P<a>\d\d?)[./-](?P<b>\d\d?)[./-](?P<y>{_YEAR})",
)
_FORM = [re.compile(form, re.IGNORECASE) for form in _FORMS]
# A season or a span of years stands at its beginning.
_YEARS = re.compile(
    rf"(?P<y>{_YEAR})s?(?:\s*[-–—/~至到]\s*(?:{_YEAR}|\d\d|present|now|今|至今)?)?(?:\s*年)?", re.IGNORECASE
)
_BEFORE = re.compile(
    r"\s*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+|c(?:irc)?a?\.?\s+|about\s+|early\s+|mid[- ]?|late\s+|约)?",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s*(?:[*†‡]+|\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）)*\s*$")
_ANY = re.compile(
    "|".join(re.sub(r"\?P<\w>", "?:", form) for form in _FORMS)
    + rf"|(?<![\d.,]){_YEAR}(?:s\b)?(?![,.]?\d|[万亿千百])",
    re.IGNORECASE,
)


def parse_date(text: str) -> PartialDate | None:
    """The date that a whole text is, notes in brackets left out; of a span of years the first."""
    if not 4 <= len(text) <= 60:
        return None
    start = begun.end() if (begun := _BEFORE.match(text)) else 0
    for form in (*_FORM, _YEARS):
        if (found := form.match(text, start)) and _AFTER.match(text, found.end()):
            return _date(found)
    return None


def dates_in(text: str) -> list[FoundDate]:
    """The dates of a text in their order; a number of four digits from 1000 to 2199 counts as a year."""
    found: list[FoundDate] = []
    for match in _ANY.finditer(text):
        date = parse_date(match[0])
        if date is not None:
            found.append(FoundDate(date, match.start(), match.end()))
    return found


def _date(found: re.Match[str]) -> PartialDate | None:
    parts = found.groupdict()
    year = int(parts["y"]) if parts.get("y") else 0
    if parts.get("a"):
        first, second = int(parts["a"]), int(parts["b"])
        # 05/12/2010 is read as Americans write it, unless it cannot be.
        month, day = (second, first) if first > 12 or "." in found[0] else (first, second)
        return PartialDate(year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None
    month = MONTHS[parts["n"].lower().rstrip(".")] if parts.get("n") else int(parts.get("m") or 0)
    return PartialDate(year, month, int(parts.get("d") or 0))

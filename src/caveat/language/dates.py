"""Dates as people write them, whole or in part: 12 May 2010, May 2010, 2010-05-12, 2010年5月12日, 1998–2001, 1990s."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

from caveat.language.packs import en

_LEAP_YEAR, _SHORTEST_MONTH = 2000, 28


class PartialDate(NamedTuple):
    """A date of which parts may be unknown, which are 0; dates compare in the order of time."""

    year: int = 0
    month: int = 0
    day: int = 0

    @property
    def ordinal(self) -> float:
        """A number that grows with time: 20100512 for 12 May 2010."""
        return float(10_000 * self.year + 100 * self.month + self.day)

    @property
    def exists(self) -> bool:
        """Whether the calendar has it; 29 February is a day of some year."""
        try:
            date(self.year or _LEAP_YEAR, self.month or 1, self.day or 1)
        except ValueError:
            return False
        return True

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last day that it may be, the year being known."""
        first = date(self.year, self.month or 1, self.day or 1)
        if self.day:
            return first, first
        after = date(self.year + (self.month in (0, 12)), self.month % 12 + 1 if self.month else 1, 1)
        return first, after - timedelta(days=1)


class FoundDate(NamedTuple):
    """A date in a longer text, with its half-open span."""

    date: PartialDate
    start: int
    end: int


class FoundDays(NamedTuple):
    """The first and the last day that a date in a longer text may be, with its half-open span."""

    first: date
    last: date
    start: int
    end: int


MONTHS: dict[str, int] = {name: number for number, name in enumerate(en.PACK.months, 1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?:1[0-9]|20|21)\d\d"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_NUMBER_OF_MONTH = r"(?:1[0-2]|0?[1-9])"

_FORMS = (
    rf"(?P<y>{_YEAR})[-/.](?P<m>{_NUMBER_OF_MONTH})[-/.](?P<d>{_DAY})(?!\d)(?:[T ]\d\d:\d\d(?::\d\d)?)?",
    rf"(?P<y>{_YEAR})\s*年(?:\s*(?P<m>{_NUMBER_OF_MONTH})\s*月(?:\s*(?P<d>{_DAY})\s*[日号])?)?",
    rf"(?P<m>{_NUMBER_OF_MONTH})\s*月\s*(?P<d>{_DAY})\s*[日号]",
    rf"(?P<d>{_DAY})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<n>{_MONTH}),?(?:\s+(?:of\s+)?(?P<y>{_YEAR}))?",
    rf"(?P<n>{_MONTH})\s+(?P<d>{_DAY})(?:st|nd|rd|th)?(?!\d),?(?:\s+(?P<y>{_YEAR}))?",
    rf"(?P<n>{_MONTH}),?\s+(?:of\s+)?(?P<y>{_YEAR})",
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
_AFTER = re.compile(r"\s*(?:[*†‡]|\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）)*\s*$")
_EITHER_ORDER = re.compile(r"\d\d?[/-]\d\d?[/-]\d{4}")
_ANY = re.compile(
    rf"(?<!\d)(?:{'|'.join(re.sub(r'[?]P<.>', '?:', form) for form in _FORMS)})"
    rf"|(?<![\d.,]){_YEAR}(?:s\b)?(?![,.]?\d|[万亿千百])",
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


def days_in(text: str) -> list[FoundDays]:
    """The dates of a text that have their year; one alone is taken for a year from 1900 to 2099, or with 年."""
    found: list[FoundDays] = []
    for partial, start, end in dates_in(text):
        if not partial.year or (
            not partial.month and not (1900 <= partial.year <= 2099 or text[end - 1] == "年")
        ):
            continue
        first, last = partial.days
        if text[end - 1] in "sS":
            last = partial._replace(year=partial.year + 9).days[1]
        elif _EITHER_ORDER.fullmatch(text, start, end):
            # 05/12/2010 is in May or in December.
            other = partial._replace(month=partial.day, day=partial.month)
            if other.exists:
                first, last = min(first, other.days[0]), max(last, other.days[1])
        found.append(FoundDays(first, last, start, end))
    return found


def _date(found: re.Match[str]) -> PartialDate | None:
    parts = found.groupdict()
    year = int(parts["y"]) if parts.get("y") else 0
    if parts.get("a"):
        first, second = int(parts["a"]), int(parts["b"])
        # 05/12/2010 is read as Americans write it, unless it cannot be.
        month, day = (second, first) if first > 12 or "." in found[0] else (first, second)
        partial = PartialDate(year, month, day)
        return partial if month and day and partial.exists else None
    month, day = int(parts.get("m") or 0), int(parts.get("d") or 0)
    if name := parts.get("n"):
        month = MONTHS.get(name.lower().rstrip("."), 0)
        if not month:
            return None  # letters that only look like those of a month match where case does not count
    partial = PartialDate(year, month, day)
    return partial if day <= _SHORTEST_MONTH or partial.exists else None

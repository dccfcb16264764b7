"""Numbers as they are written: 1,234.5, 1.5 million, twenty-five, two and a half, 三千二百, 两百五, 3.2万, 廿五.

The words and characters are in the file numbers.toml of each language's pack.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import inf, isfinite
from typing import NamedTuple

from caveat.language.packs import en, zh


class FoundNumber(NamedTuple):
    """A number in a longer text, with its half-open span."""

    value: float
    start: int
    end: int


def alternatives(words: Iterable[str]) -> str:
    """The words as alternatives of a pattern, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_ENGLISH, _CHINESE = (each.PACK.data("numbers.toml") for each in (en, zh))

_SMALL: dict[str, int] = {word: value for value, word in enumerate(_ENGLISH["small"])}
_TENS: dict[str, int] = {word: 10 * value for value, word in enumerate(_ENGLISH["tens"], 2)}
_MULTIPLIERS: dict[str, int] = _ENGLISH["multipliers"]
_FRACTIONS: dict[str, float] = _ENGLISH["fractions"]
NUMBER_WORDS: dict[str, int] = _SMALL | _TENS | {"hundred": 100}
"""English words that are a number alone."""

_DIGITS: dict[str, int] = {character: value for value, character in enumerate(_CHINESE["digits"])}
_DIGITS |= _CHINESE["digit_variants"]
_CHINESE_TENS: dict[str, int] = _CHINESE["tens"]
_CHINESE_MULTIPLIERS: dict[str, int] = _CHINESE["multipliers"]
_FORMAL = str.maketrans(_CHINESE["formal"])
_MYRIAD, _MYRIADS = 10**4, 10**8

# What multiplies a number in figures.
SCALES: dict[str, int] = (
    _MULTIPLIERS | _ENGLISH["abbreviations"] | _CHINESE_MULTIPLIERS | _CHINESE["after_figures"]
)
del SCALES["十"]  # 3十 is nothing anyone writes

# Parts of patterns.
FIGURES = r"\d{1,3}(?:[,，\u00a0\u202f '’]\d{3})+(?!\d)(?:[.．]\d+)?|\d+(?:[.．]\d+)?(?:e[+-]?\d+)?|\.\d+"
ENGLISH_SCALE = rf"(?:{alternatives([name for name in SCALES if name.isascii()])})(?![^\W\d_])"
# Of 500兆瓦 and 5千米 the first character is one of the unit's.
_PREFIXED = rf"(?![{_CHINESE['prefixes']}](?:{alternatives(_CHINESE['prefixed'])}))"
CHINESE_SCALE = rf"{_PREFIXED}(?:{alternatives([name for name in SCALES if not name.isascii()])})"
_NUMERAL = "".join((*_DIGITS, *_CHINESE_TENS, *_CHINESE_MULTIPLIERS))
CHINESE_NUMBER = rf"[{''.join(_DIGITS)}{''.join(_CHINESE_TENS)}十][{_NUMERAL}]*"
_WORD = rf"(?:{alternatives([*_SMALL, *_TENS, *_MULTIPLIERS])})\b"
# Most places in a text are passed over by this alone.
_INITIALS = "".join(sorted({word[0] for word in (*_SMALL, *_TENS, *_MULTIPLIERS, "half", "a")}))
_MULTIPLIER_NEXT = rf"(?=(?:{alternatives(_MULTIPLIERS)})\b)"
ENGLISH_NUMBER = (
    rf"\b(?=[{_INITIALS}])(?:{_WORD}|(?:half\s)?an?\s{_MULTIPLIER_NEXT}{_WORD})"
    rf"(?:(?:\s{{1,3}}|-)(?:and\s)?(?:an?\s)?(?:{_WORD}|(?:{alternatives(_FRACTIONS)})\b))*"
)
"""Words for numbers in a row, which may be several numbers; `english_numbers` tells them apart."""

_RUN = re.compile(ENGLISH_NUMBER, re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
_CHINESE_WHOLE = re.compile(rf"({CHINESE_NUMBER})(?:点([{''.join(_DIGITS)}]+)([{_NUMERAL}]*))?")
_FIGURES_WHOLE = rf"({FIGURES})\s?({ENGLISH_SCALE}|{CHINESE_SCALE})?(?:(\d[\d.]*)({CHINESE_SCALE})?)?"
_SEPARATORS = re.compile(r"[,，\s'’]")


def number_words(first: int, last: int) -> tuple[str, ...]:
    """The English words from one number to another, both included, where each is one word."""
    return tuple(word for word, value in NUMBER_WORDS.items() if first <= value <= last)


def parse_number(text: str) -> float | None:
    """The number that a whole text is, in figures, in English words or in Chinese numerals; None if it is none."""
    text = text.strip()
    if found := re.fullmatch(_FIGURES_WHOLE, text, re.IGNORECASE):
        return scaled(*found.groups(default=""))
    value = parse_chinese_number(text)
    return parse_english_number(text) if value is None else value


def parse_figures(figures: str) -> float:
    """Figures, full-width ones too, without what separates the thousands."""
    return float(_SEPARATORS.sub("", figures).replace("．", "."))


def scaled(figures: str, scale: str = "", rest: str = "", rest_scale: str = "") -> float | None:
    """Figures times their scale, and what follows it in Chinese: 3亿5000万, 3万5; None where nothing can follow."""
    factor = SCALES.get(scale.lower(), 1)
    value = parse_figures(figures) * factor
    if not rest:
        return value
    if not scale or scale.isascii() or rest.count(".") > 1:
        return None
    # 3万5 leaves out the thousands' own word.
    missing = factor / 10 if len(rest) == 1 and not rest_scale else 1
    return value + float(rest) * SCALES.get(rest_scale, missing)


def parse_chinese_number(text: str) -> float | None:
    """三千二百 → 3200, 一亿二千万 → 120000000, 二〇二一 → 2021, 两百五 → 250; None if it is no number."""
    found = _CHINESE_WHOLE.fullmatch(text.translate(_FORMAL))
    if found is None:
        return None
    whole, decimals, scale = found.groups(default="")
    if decimals:
        value = float(f"{_chinese(whole):.0f}.{_figures(decimals)}")
        for character in scale:
            if character not in _CHINESE_MULTIPLIERS:
                return None
            value *= _CHINESE_MULTIPLIERS[character]
    else:
        value = _chinese(whole)
    return value if isfinite(value) else None


def _figures(digits: str) -> str:
    return "".join(str(_DIGITS[character]) for character in digits)


def _chinese(text: str) -> float:
    if all(character in _DIGITS for character in text):
        return float(_figures(text))
    total, section, digit = 0.0, 0.0, 0
    lacking = 1.0  # what a last digit without its own word counts
    for character in text:
        if character in _DIGITS:
            digit = _DIGITS[character]
            lacking = lacking if digit else 1.0
        elif character in _CHINESE_TENS:
            section += _CHINESE_TENS[character]
            digit, lacking = 0, 1.0
        else:
            multiplier = _CHINESE_MULTIPLIERS[character]
            if multiplier < _MYRIAD:
                # 十二 is 12: a ten without a digit before it is one ten.
                section += (digit or 1) * multiplier
            else:
                # 一亿二千万 has its 万 beside the 亿, 一万亿 has it before.
                if multiplier == _MYRIADS:
                    total = (total + section + digit) * multiplier
                else:
                    total += (section + digit) * multiplier
                section = 0.0
            digit, lacking = 0, multiplier / 10
    return total + section + digit * lacking


def parse_english_number(text: str) -> float | None:
    """twenty-five → 25, one hundred and twenty → 120, half a million → 500000; None if it is no number."""
    found = english_numbers(text)
    whole = len(found) == 1 and not (text[: found[0].start] + text[found[0].end :]).strip()
    return found[0].value if whole else None


def english_numbers(text: str, start: int = 0, end: int | None = None) -> list[FoundNumber]:
    """The numbers in words between two offsets of a text, in their order."""
    limits = (start,) if end is None else (start, end)
    return [number for run in _RUN.finditer(text, *limits) for number in _numbers_of(text, run)]


def _numbers_of(text: str, run: re.Match[str]) -> Iterator[FoundNumber]:
    found = list(_LETTERS.finditer(text, run.start(), run.end()))
    # Nothing looks further ahead than three words.
    words = [*(word[0].lower() for word in found), "", "", "", ""]
    at = 0
    while at < len(found):
        value, end = _number(words, at)
        if end > at:
            yield FoundNumber(value, found[at].start(), found[end - 1].end())
        at = max(end, at + 1)


def _number(words: list[str], at: int) -> tuple[float, int]:
    """The longest number that begins at a word, and where it ends; at its own beginning if there is none."""
    if words[at] == "half" and words[at + 1] in ("a", "an") and words[at + 2] in _MULTIPLIERS:
        return 0.5 * _MULTIPLIERS[words[at + 2]], at + 3
    total, end, largest = 0.0, at, inf
    while True:
        value, after = _group(words, end, first=end == at)
        if after == end:
            return total, end
        multiplier = _MULTIPLIERS.get(words[after], 0)
        if multiplier >= largest or value >= largest:
            return total, end  # "one thousand two thousand" are two numbers
        if not multiplier:
            return total + value, after
        total, end, largest = total + value * multiplier, after + 1, multiplier
        if not value or words[after] == "dozen":
            return total, end


def _group(words: list[str], at: int, *, first: bool) -> tuple[float, int]:
    """What stands before a thousand or a million, or at the end; where it ends, which is `at` for none."""
    begin = at + (words[at] in (("a", "an") if first else ("and",)))
    value, end = _below_hundred(words, begin)
    if end == begin:
        if not (first and words[begin] in _MULTIPLIERS and (begin > at or words[begin] == "hundred")):
            return 0.0, at
        value = 1
    if value and words[end] == "hundred":
        value, end = 100 * value, end + 1
        rest, after = _below_hundred(words, end + (words[end] == "and"))
        if rest and words[after] != "hundred":
            value, end = value + rest, after
    return _with_fraction(words, float(value), end)


def _below_hundred(words: list[str], at: int) -> tuple[int, int]:
    if (tens := _TENS.get(words[at])) is not None:
        unit = _SMALL.get(words[at + 1], 0)
        return (tens + unit, at + 2) if 0 < unit < 10 else (tens, at + 1)
    small = _SMALL.get(words[at])
    return (0, at) if small is None else (small, at + 1)


def _with_fraction(words: list[str], value: float, at: int) -> tuple[float, int]:
    """The value with what follows it: "and a half", "and three quarters"."""
    if words[at] == "and":
        count = 1 if words[at + 1] in ("a", "an") else _SMALL.get(words[at + 1], 0)
        if count and (part := _FRACTIONS.get(words[at + 2])) is not None:
            return value + count * part, at + 3
    return value, at

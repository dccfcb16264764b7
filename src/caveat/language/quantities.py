"""Numbers as people write them: 1,234.5, 12 %, $3 million, 3.2万, 三千二百, 1st, 2:31.5, 6' 3"."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["FoundQuantity", "Quantity", "is_blank", "parse_chinese_number", "parse_quantity", "quantities_in"]


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


_BLANK = frozenset(
    "- – — ― − … ... .. ? ?? / * n/a na n.a. n.a n/d nil none null nan unknown tbd tba "  # noqa: SIM905
    "无 暂无 未知 不详 不明".split()
)
_DIGITS = r"\d{1,3}(?:[,，\u00a0\u202f '’]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+"
_DECIMAL_COMMA = r"\d{1,3}(?:[.\u00a0\u202f ]\d{3})+(?!\d)(?:,\d+)?|\d+(?:,\d+)?"
_SCALES = {
    "thousand": 1e3,
    "million": 1e6,
    "mn": 1e6,
    "mln": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
    "万亿": 1e12,
    "兆": 1e12,
    "亿": 1e8,
    "億": 1e8,
    "千万": 1e7,
    "百万": 1e6,
    "十万": 1e5,
    "万": 1e4,
    "萬": 1e4,
    "千": 1e3,
    "百": 1e2,
}
_LATIN_SCALE = r"(?:thousand|million|mn|mln|billion|bn|trillion)(?![^\W\d_])"
_HAN_SCALE = "|".join(name for name in _SCALES if not name.isascii())
_CURRENCY = r"(?:US|HK|NT|C|A|NZ|S)?\$|£|€|¥|￥|₹|₽|₩|USD|EUR|GBP|RMB|CNY|Rs\.?"
# Only with a counter or a measure, for 1号线, 三亚 and 一汽 are names.
_HAN_MEASURE = (
    "个百分点|平方公里|平方千米|平方米|立方米|公里|千米|厘米|毫米|公斤|千克|公顷|小时|分钟|美元|欧元|日元|港元|人民币|"
    "人次|个月|英里|英尺|海里|摄氏度|个|人|名|位|次|元|块|岁|年|月|日|天|周|级|层|家|所|座|台|辆|件|本|部|集|届|号|册|"
    "首|场|票|分|秒|米|亩|吨|克|升|度|只|条|种|支|枚|户|间|处|项|倍|艘|架"
)
_UNIT = (
    r"%|‰|％|°\s?[CFcf]?|℃|℉|[A-Za-zµÀ-ɏ][\w/²³%.·\-]*(?:\s+[A-Za-zÀ-ɏ][\w/²³.·\-]*){0,2}"
    rf"|(?:{_HAN_MEASURE})(?:/\w{{1,4}})?"
)
_NOTE = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）|【[^【】]*】|[*†‡§^#]+)\s*$")
_BEFORE = r"(?:about|approx\.?|circa|ca?\.|around|约|大约|近|no\.|#|№|第|[~≈<>≤≥])?"


def _whole(digits: str) -> re.Pattern[str]:
    return re.compile(
        rf"\s*{_BEFORE}\s*(?P<sign>[-+−–±]?)\s*(?P<currency>{_CURRENCY})?\s*(?P<digits>{digits})"
        rf"\s*(?P<scale>{_LATIN_SCALE}|{_HAN_SCALE})?(?P<rest>\d[\d.]*(?:{_HAN_SCALE})?)?"
        rf"\s*(?P<behind>{_CURRENCY})?\s*(?P<unit>{_UNIT})?\s*\.?\s*$",
        re.IGNORECASE,
    )


_POINT, _COMMA = _whole(_DIGITS), _whole(_DECIMAL_COMMA)
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
_HAN_NUMBER = re.compile(r"[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]*")
_HAN_UNIT = re.compile(
    rf"\s*(?:约|大约|近|第)?(?P<digits>{_HAN_NUMBER.pattern})(?P<unit>{_HAN_MEASURE})?\s*$"
)

_HAN_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_HAN_TENS = {"十": 10, "百": 100, "千": 1000}
_HAN_MYRIADS = {"万": 10**4, "亿": 10**8}


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
    if not (first.isdecimal() or first in "T=+-") and (ordinal := _HAN_UNIT.match(text)):
        value = parse_chinese_number(ordinal["digits"])
        return None if value is None else Quantity(value, ordinal["unit"] or "")
    if ordinal := _ORDINAL.match(text):
        return Quantity(float(ordinal[1]))
    # "5m" alone may be metres.
    if (spoken := _HOURS.match(text)) and (spoken[1] or spoken[3]):
        hours, minutes, seconds = spoken.groups(default="0")
        return Quantity(3600 * float(hours) + 60 * float(minutes) + float(seconds), "s")
    if found := (_COMMA if decimal_comma else _POINT).match(text):
        return _quantity(found, decimal_comma)
    if clock := _CLOCK.match(text):
        hours, minutes, seconds = clock.groups(default="0")
        return Quantity(3600 * float(hours) + 60 * float(minutes) + float(seconds), "s")
    if feet := _FEET.match(text):
        return Quantity(float(feet[1]) + float(feet[2]) / 12, "ft")
    return None


def _quantity(found: re.Match[str], decimal_comma: bool) -> Quantity | None:
    scale, rest, unit = found["scale"] or "", found["rest"], found["unit"] or ""
    if rest and not (scale and not scale.isascii()):
        return None
    value = _number(found["digits"], decimal_comma) * _SCALES.get(scale.lower(), 1)
    if rest:  # 3亿5000万
        scale = rest.lstrip("0123456789.")
        value += float(rest.removesuffix(scale)) * _SCALES.get(scale, 1)
    if found["sign"] in ("-", "−", "–"):
        value = -value
    unit = unit.strip().rstrip(".").lower()
    return Quantity(value, unit or (found["currency"] or found["behind"] or "").lower())


def _number(digits: str, decimal_comma: bool) -> float:
    plain = (
        re.sub(r"[.\s]", "", digits).replace(",", ".") if decimal_comma else re.sub(r"[,，\s'’]", "", digits)
    )
    return float(plain)


def parse_chinese_number(text: str) -> float | None:
    """三千二百 → 3200, 一亿二千万 → 120000000, 二〇二一 → 2021; None if it is no number."""
    if not text or _HAN_NUMBER.fullmatch(text) is None:
        return None
    if not any(character in _HAN_TENS or character in _HAN_MYRIADS for character in text):
        return float("".join(str(_HAN_DIGITS[character]) for character in text))
    total = section = digit = 0
    for character in text:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        elif character in _HAN_TENS:
            # 十二 is 12: a ten without a digit before it is one ten.
            section += (digit or 1) * _HAN_TENS[character]
            digit = 0
        else:
            # 一亿二千万 has its 万 beside the 亿, 一万亿 has it before.
            before = total if character == "亿" else 0
            total = total - before + (before + section + digit) * _HAN_MYRIADS[character]
            section = digit = 0
    return float(total + section + digit)


_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "  # noqa: SIM905
        "sixteen seventeen eighteen nineteen twenty".split()
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
_FOUND = re.compile(
    r"(?<![\d:])(?P<clock>\d{1,2}(?::[0-5]\d){1,2}(?:\.\d+)?)(?![\d:])"
    rf"|(?P<currency>{_CURRENCY})?\s?(?<![A-Za-z0-9_.])(?P<sign>-(?=\d))?(?P<digits>{_DIGITS})(?![\d:])"
    rf"(?P<scale>\s?(?:{_LATIN_SCALE})|{_HAN_SCALE})?(?P<ordinal>(?:st|nd|rd|th)\b)?(?:\s?(?P<unit>%|％|[^\W\d_]+))?"
    r"|(?P<word>\b(?:"
    + "|".join(_WORDS)
    + r")\b)(?:\s(?P<scale_of_word>hundred|thousand|million|billion)\b)?"
    r"|(?P<han>[一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]*)",
    re.IGNORECASE,
)


def quantities_in(text: str) -> list[FoundQuantity]:
    """The numbers of a text in their order, words for numbers among them; the span is without the unit."""
    found: list[FoundQuantity] = []
    for match in _FOUND.finditer(text):
        if match["clock"]:
            seconds = 0.0
            for part in match["clock"].split(":"):
                seconds = 60 * seconds + float(part)
            found.append(FoundQuantity(seconds, "s", match.start(), match.end()))
        elif match["digits"]:
            scale = (match["scale"] or "").strip().lower()
            value = _number(match["digits"], False) * _SCALES.get(scale, 1)
            end = (
                match.end("scale")
                if match["scale"]
                else match.end("ordinal" if match["ordinal"] else "digits")
            )
            start = (
                match.start("currency")
                if match["currency"]
                else match.start("sign" if match["sign"] else "digits")
            )
            unit = (match["unit"] or match["currency"] or "").lower()
            found.append(FoundQuantity(-value if match["sign"] else value, unit, start, end))
        elif match["word"]:
            value = float(_WORDS[match["word"].lower()])
            if scale := (match["scale_of_word"] or "").lower():
                value *= 100 if scale == "hundred" else _SCALES[scale]
            found.append(FoundQuantity(value, "", match.start(), match.end()))
        else:
            value_of_han = parse_chinese_number(match["han"])
            if value_of_han is not None:
                unit = text[match.end() : match.end() + 1]
                found.append(FoundQuantity(value_of_han, unit, match.start(), match.end()))
    return found

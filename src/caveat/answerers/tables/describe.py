"""What was done with a table, in words: "count of rows where Country is Italy", "国家为意大利的行数"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.selection import Condition, View
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE

_RELATIONS = {
    ENGLISH: {
        "number": {"more": "more than", "less": "less than", "at least": "at least", "at most": "at most"},
        "date": {"more": "after", "less": "before", "at least": "not before", "at most": "not after"},
    },
    CHINESE: {
        "number": {"more": "大于", "less": "小于", "at least": "不小于", "at most": "不大于"},
        "date": {"more": "晚于", "less": "早于", "at least": "不早于", "at most": "不晚于"},
    },
}
_UNNAMED = {ENGLISH: "column {}", CHINESE: "第{}列"}
_SCALE = re.compile(r"\d\s*(万亿|亿|万)")
_SCALES = {"万亿": 1e12, "亿": 1e8, "万": 1e4}
# What is shown of a number below 1.
_FIGURES = 3
_SIGNS = frozenset("$£€¥￥₹₽₩")
_MOST_JOINED = 100


def name_of(view: View, column: int) -> str:
    """A column's name as it is spoken of."""
    return view.columns[column].name or _UNNAMED[view.parsed.language].format(column + 1)


def _where(view: View, conditions: Sequence[Condition]) -> str:
    """The conditions as the end of a description (English) or its beginning (Chinese); empty for none."""
    zh = view.parsed.language == CHINESE
    parts: dict[str, None] = {}
    for condition in conditions:
        parts[_condition(view, condition, zh)] = None
    if not parts:
        return ""
    return "且".join(parts) if zh else " where " + " and ".join(parts)


def _condition(view: View, condition: Condition, zh: bool) -> str:
    name = name_of(view, condition.column)
    column = view.columns[condition.column]
    if condition.relation is not None:
        kind = "date" if column.kind == "date" else "number"
        relation = _RELATIONS[CHINESE if zh else ENGLISH][kind][condition.relation]
        return f"{name}{relation}{condition.value}" if zh else f"{name} is {relation} {condition.value}"
    if not condition.value and condition.excluded:
        return f"{name}不为空" if zh else f"{name} is not empty"
    if not condition.value:
        return f"{name}为空" if zh else f"{name} is empty"
    if zh:
        verb = "不为" if condition.excluded else "为" if condition.share == 1.0 else "包含"
        return f"{name}{verb}{condition.value}"
    verb = "is not" if condition.excluded else "is" if condition.share == 1.0 else "has"
    return f"{name} {verb} {condition.value}"


def amount(column: Column, value: float, *, places: int = 0) -> str:
    """A computed number for people: in the unit and the scale of its column, with as many places as its cells have, or
    so many at the most if they have fewer."""
    scales = [found[1] for cell in column.sample if (found := _SCALE.search(cell))]
    scale = scales[0] if scales and 2 * len(scales) > len(column.sample) else ""
    text = readable(value / _SCALES.get(scale, 1), max(places, column.places)) + scale
    unit = column.unit if column.kind == "number" else ""
    if not unit or unit == "s":
        return text
    if unit[-1] in _SIGNS:
        return f"{unit.upper()}{text}"
    return f"{text}{unit}" if unit == "%" or not unit.isascii() else f"{text} {unit}"


def readable(value: float, places: int = 0) -> str:
    """A number as people write it: 1,011,500; 4,716.02; of a small one the first figures are kept."""
    if value and abs(value) < 1:
        places = max(places, _FIGURES - 1 - math.floor(math.log10(abs(value))))
    text = f"{round(value, places):,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def joined(texts: Sequence[str]) -> str:
    """Several cells as one answer, each once; of a great many the first."""
    different = list(dict.fromkeys(texts))
    shown = "; ".join(different[:_MOST_JOINED])
    return f"{shown}; …" if len(different) > _MOST_JOINED else shown


def described(view: View, en: str, zh: str, conditions: Sequence[Condition], **parts: Column | str) -> str:
    """A description in the question's language; `{where}` stands for the conditions, other names for parts."""
    names = {
        key: name_of(view, part.index) if isinstance(part, Column) else part for key, part in parts.items()
    }
    text = _where(view, conditions)
    if view.parsed.language == CHINESE:
        return zh.format(where=f"{text}的" if text else "", **names)
    return en.format(where=text, **names)

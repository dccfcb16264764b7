"""What was done with a table, in words: "count of rows where Country is Italy", "国家为意大利的行数"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.selection import Condition, View
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE

__all__ = ["amount", "described", "joined", "name_of"]

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
_GROUPED = re.compile(r"\d,\d{3}(?!\d)")
_SIGNS = frozenset("$£€¥￥₹₽₩")
_MOST_JOINED = 20


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


def amount(column: Column, value: float) -> str:
    """A computed number in the unit and the scale of its column."""
    scales = [found[1] for cell in column.sample if (found := _SCALE.search(cell))]
    scale = scales[0] if scales and 2 * len(scales) > len(column.sample) else ""
    grouped = any(map(_GROUPED.search, column.sample)) and not column.decimal_comma
    text = _number(value / _SCALES.get(scale, 1), grouped) + scale
    unit = column.unit if column.kind == "number" else ""
    if not unit or unit == "s":
        return text
    if unit[-1] in _SIGNS:
        return f"{unit.upper()}{text}"
    return f"{text}{unit}" if unit == "%" or not unit.isascii() else f"{text} {unit}"


def _number(value: float, grouped: bool) -> str:
    value = round(value, 6)
    text = str(int(value)) if value == int(value) else f"{value:.12g}"
    whole, point, rest = text.partition(".")
    return f"{int(whole):,}{point}{rest}" if grouped and "e" not in text and value > 0 else text


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

"""One way to understand a question on a table: what is done, which column is asked for, and what comes out."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.linking import HeaderLink
from caveat.answerers.tables.selection import Condition, View
from caveat.answerers.tables.tokens import is_han
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


Operation = Literal[
    "look-up", "superlative", "order", "neighbour", "most frequent", "count", "sum", "average", "difference",
    "choice", "either", "same", "duration", "streak", "verdict", "holds", "across", "top", "series",
]  # fmt: skip

# A name this many tokens from the words that ask is not what they ask for, unless there is no other.
_FAR = 7
_NAME = re.compile(r"\bwhat (?:is|was) the name of\b|名称是什么|叫什么")


class Interpretation(NamedTuple):
    """An operation with its result; `features` are what the confidence is computed from."""

    operation: Operation
    text: str
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    description: str
    explained: frozenset[int]
    features: dict[str, float]
    # A computed number as it is, whatever the text makes of it.
    number: float | None = None

    @property
    def is_cell(self) -> bool:
        """Whether the answer is what stands in a cell, and nothing was computed."""
        return self.operation in ("look-up", "either")


def cells_of(view: View, column: int, rows: Sequence[int]) -> str:
    """The cells of a column in some rows as one answer."""
    return joined([view.columns[column].cell(row) for row in rows])


def tokens_of(conditions: Iterable[Condition], *more: frozenset[int]) -> frozenset[int]:
    """All the tokens of the question that were used."""
    return frozenset().union(*(condition.tokens for condition in conditions), *more)


def features_of(target: Target | None, conditions: Sequence[Condition], **more: float) -> dict[str, float]:
    """What speaks for and against an interpretation, as far as target and conditions tell."""
    texts = [condition for condition in conditions if condition.relation is None]
    features = {f"target by {target.how}": 1.0, "other target": float(target.other)} if target else {}
    features["conditions"] = min(len(conditions), 2)
    features["no condition"] = float(not conditions)
    features["partial cells"] = sum(condition.share < 1.0 for condition in texts) / max(len(texts), 1)
    features["share"] = min((condition.share for condition in texts), default=1.0)
    return features | more


def wants_number(view: View) -> bool:
    """Whether the answer is a number: how many, how much."""
    return bool(view.parsed.cue("count") or view.parsed.cue("how much"))


class Target(NamedTuple):
    """A column, the tokens that name it, and how it was found: by name, by another word, by its kind, as the key, or as
    any other; `other` where it is not the first choice.
    """

    column: int
    tokens: frozenset[int]
    how: str
    other: bool = False


def targets(
    view: View, used: Collection[int] = (), *, numbers: bool = False, taken: frozenset[int] = frozenset()
) -> Iterator[Target]:
    """The columns that may be asked for: what `find_target` says, those named, the key, and all others if few rows."""
    first = find_target(view, used, numbers=numbers, taken=taken)
    seen = {*used}
    if first is not None:
        yield first
        seen.add(first.column)
    others = [_linked(link) for link in view.named(("text", "date", "number"))]
    others.append(Target(view.key, frozenset(), "key"))
    if view.guesses:
        others += [Target(column.index, frozenset(), "guess") for column in view.columns if column.sample]
    for target in others:
        if target.column not in seen:
            seen.add(target.column)
            yield target._replace(other=True)


def find_target(
    view: View, used: Collection[int] = (), *, numbers: bool = False, taken: frozenset[int] = frozenset()
) -> Target | None:
    """The column asked for, which is none of those `used`; where `numbers` are wanted, a column of those if any.

    Words that were `taken` as the name of another column are not asked for.
    """
    kinds = _kinds(view)
    links = [
        link
        for link in view.named(kinds)
        if link.column not in used and not taken.issuperset(range(link.start, link.end))
    ]
    wanted = _wanted(view)
    if numbers:
        numeric = [
            link
            for link in links
            if view.columns[link.column].kind == "number" or view.columns[link.column].is_coded
        ]
        sums = frozenset().union(*(view.tokens_in(*span) for span in view.aggregate_spans))
        # "The total gold medals" are those of the column Gold, even where there is a column Total.
        numeric = [link for link in numeric if not sums.issuperset(range(link.start, link.end))] or numeric
        if numeric:
            return _linked(min(numeric, key=lambda link: _distance(link, wanted)))
    if links:
        nearest = min(links, key=lambda link: (_distance(link, wanted), link.column))
        if _distance(nearest, wanted) <= _FAR:
            return _linked(nearest)
    typed = _typed(view, used)
    if typed is not None:
        return typed
    if links:
        return _linked(nearest)
    measured = _measured(view, used)
    if measured is not None:
        return measured
    if view.key not in used:
        return Target(view.key, frozenset(), "key")
    others = [c.index for c in view.columns if c.kind == "text" and c.index not in used and c.distinct > 0.5]
    return Target(others[0], frozenset(), "key") if others else None


def _measured(view: View, used: Collection[int]) -> Target | None:
    """The one column of numbers of a table that tells elsewhere what they are of: "the GDP of X" in the file gdp.

    What is asked for stands in no column's name, but in the table's, or the column is called Value and no more.
    """
    parsed = view.parsed
    numbers = view.measures
    asking = [span for cue in ("who", "when", "where") if (span := parsed.cue(cue))]
    if len(numbers) != 1 or numbers[0].index in used or view.key not in used or asking:
        return None
    taken = tokens_of(view.conditions)
    left = [at for at in range(len(parsed.tokens)) if parsed.is_content(at) and at not in taken]
    spans = [span for cue in ("which", "how much") if (span := parsed.cue(cue))]
    if not spans or parsed.cue("count"):
        return None
    nouns = frozenset(left).difference(*(view.tokens_in(*span) for span in spans))
    headers = {stem for column in view.columns for stem in column.stems}
    about = _in_caption(view, [at for at in sorted(nouns) if parsed.tokens[at].stem not in headers])
    if about or (nouns and numbers[0].is_about("measures")):
        return Target(numbers[0].index, about or nouns, "synonym")
    return None


def _in_caption(view: View, tokens: Sequence[int]) -> frozenset[int]:
    """Those of the tokens that the caption has, Chinese characters only two together."""
    caption = view.prepared.caption
    stems = [token.stem for token in view.parsed.tokens]
    pairs = set(pairwise(caption))
    words = {at for at in tokens if stems[at] in caption and not is_han(stems[at])}
    for one, two in pairwise(tokens):
        if two == one + 1 and (stems[one], stems[two]) in pairs:
            words |= {one, two}
    return frozenset(words)


def _kinds(view: View) -> tuple[str, ...]:
    """What the answer can be, by the word that asks: "who" is not answered by a date, nor is "the name of"."""
    parsed = view.parsed
    if (not parsed.cue("which") and (parsed.cue("who") or parsed.cue("where"))) or _NAME.search(parsed.text):
        return ("text",)
    return ("text", "date", "number")


def _wanted(view: View) -> list[frozenset[int]]:
    """The tokens of the words that ask."""
    spans = [view.parsed.cue(cue) for cue in ("which", "who", "count", "how much", "when", "where")]
    # Without any ("the team with the most medals"), what comes first is asked for.
    return [tokens for span in spans if span and (tokens := view.tokens_in(*span))] or [frozenset((-1,))]


def _linked(link: HeaderLink) -> Target:
    return Target(link.column, frozenset(range(link.start, link.end)), "synonym" if link.synonym else "name")


def _distance(link: HeaderLink, wanted: list[frozenset[int]]) -> float:
    """How far a name stands from the words that ask; after them is nearer than before."""
    gaps = [
        link.start - max(tokens) - 1 if link.start > max(tokens) else 2.0 * (min(tokens) - link.end) + 2
        for tokens in wanted
    ]
    return min(gaps, default=0.0) + link.synonym - 0.5 * link.share


def _typed(view: View, used: Collection[int]) -> Target | None:
    parsed = view.parsed
    free = [column for column in view.columns if column.index not in used and column.sample]
    if span := parsed.cue("when"):
        for column in free:
            if column.kind == "date":
                return Target(column.index, view.tokens_in(*span), "kind")
    if span := parsed.cue("where"):
        for column in free:
            if column.is_about("locations"):
                return Target(column.index, view.tokens_in(*span), "kind")
    if span := parsed.cue("who"):
        for column in free:
            if column.kind == "text" and column.is_about("persons"):
                return Target(column.index, view.tokens_in(*span), "kind")
    return None

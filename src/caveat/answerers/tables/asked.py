"""What a question asks for, before any table is looked at: its units, its cues, its numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from caveat.answerers.tables.cues import (
    AFTER_NUMBER,
    BEFORE_NUMBER,
    CUES,
    ORDERS,
    ORDINALS,
    PLACINGS,
    Cue,
    Relation,
)
from caveat.answerers.tables.stop_words import STOP_WORDS
from caveat.answerers.tables.superlatives import COMPARATIVES, SUPERLATIVES, Superlative
from caveat.answerers.tables.units import Unit, fold, is_han_unit, units
from caveat.core.script import Language, language_of
from caveat.language.dates import PartialDate, dates_in
from caveat.language.quantities import quantities_in

__all__ = ["Asked", "Comparison", "FoundSuperlative", "Literal", "Span"]

Span = tuple[int, int]

# The second largest, 第二大.
_NTH = re.compile(r"(?:\b(second|third|fourth|fifth)[- ]|第([二三四五]))$")


class Literal(NamedTuple):
    """A number or a date (or what may be either, such as 1998) in the question, with its span in the folded text."""

    number: float | None
    date: PartialDate | None
    unit: str
    start: int
    end: int


class Comparison(NamedTuple):
    """More than, before, at least …, and what is compared with; the span is that of the words and the number."""

    relation: Relation
    literal: Literal
    start: int
    end: int


class FoundSuperlative(NamedTuple):
    """A superlative or comparative, with its span in the folded text; `rank` is 2 for the second largest."""

    meaning: Superlative
    start: int
    end: int
    rank: int = 1


class Asked:
    """A question and all that its own words say."""

    def __init__(self, question: str) -> None:
        self.question = question
        self.text = fold(question)
        self.units: list[Unit] = units(self.text)
        self.language: Language = language_of(question)

    def cue(self, cue: Cue) -> Span | None:
        """Where the question says this; None where it does not."""
        found = CUES[cue].search(self.text)
        return found.span() if found else None

    @cached_property
    def literals(self) -> list[Literal]:
        """Numbers and dates in their order; a date that has a number inside is one literal."""
        dates = dates_in(self.text)
        found = [Literal(None, date, "", start, end) for date, start, end in dates]
        for value, unit, start, end in quantities_in(self.text):
            for index, literal in enumerate(found):
                if literal.start <= start < literal.end:
                    if literal.date is not None and not literal.date.month:
                        found[index] = literal._replace(number=value, unit=unit)
                    break
            else:
                found.append(Literal(value, None, unit, start, end))
        return sorted(found, key=lambda literal: literal.start)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """The numbers and dates that something is compared with."""
        found: list[Comparison] = []
        between = self._between()
        for literal in self.literals:
            if between and literal in between:
                first = literal is between[0]
                found.append(
                    Comparison("at least" if first else "at most", literal, literal.start, literal.end)
                )
            elif (comparison := self._comparison(literal)) is not None:
                found.append(comparison)
        return found

    def _comparison(self, literal: Literal) -> Comparison | None:
        for pattern, relation in BEFORE_NUMBER:
            if found := pattern.search(self.text, max(0, literal.start - 40), literal.start):
                return Comparison(relation, literal, found.start(), literal.end)
        for pattern, relation in AFTER_NUMBER:
            if found := pattern.match(self.text, literal.end):
                return Comparison(relation, literal, literal.start, found.end())
        return None

    def _between(self) -> tuple[Literal, Literal] | None:
        for first, second in zip(self.literals, self.literals[1:], strict=False):
            before, middle = self.text[: first.start].rstrip(), self.text[first.end : second.start].strip()
            if (before.endswith(("between", "from")) and middle in ("and", "to", "-", "–", "through")) or (
                middle.strip("年") in ("到", "至", "和", "与")
                and self.text[second.end :].lstrip("年").startswith(("之间", "间"))
            ):
                return first, second
        return None

    @cached_property
    def superlatives(self) -> list[FoundSuperlative]:
        """Every largest, smallest, longest … in the question."""
        return self._found(SUPERLATIVES)

    @cached_property
    def comparative(self) -> FoundSuperlative | None:
        """The larger, smaller, longer … of two, which is none where a number is compared with."""
        return next(iter(self._found(COMPARATIVES)), None)

    def _found(
        self, patterns: Sequence[tuple[re.Pattern[str], dict[str, Superlative]]]
    ) -> list[FoundSuperlative]:
        found: list[FoundSuperlative] = []
        for pattern, meanings in patterns:
            for match in pattern.finditer(self.text):
                start, end = match.span(1)
                if any(comparison.start <= start < comparison.end for comparison in self.comparisons):
                    continue
                before = _NTH.search(self.text, 0, start)
                rank = ORDINALS.get(before[1] or before[2], 1) if before else 1
                start = before.start() if before else match.start() if match[0].startswith("最") else start
                found.append(FoundSuperlative(meanings[match[1]], start, end, rank))
        return found

    @cached_property
    def order(self) -> tuple[bool, Span] | None:
        """Whether the last (True) or the first is asked for, and where it says so."""
        for pattern, last in ORDERS:
            if found := pattern.search(self.text):
                return last, found.span()
        return None

    @cached_property
    def placing(self) -> tuple[int, Span] | None:
        """The place in a ranking that is spoken of: 1 for "first place", "ranked first", 第一名."""
        for pattern in PLACINGS:
            if found := pattern.search(self.text):
                word = found[1]
                number = ORDINALS.get(word) or int("".join(filter(str.isdecimal, word)) or 0)
                if number:
                    return number, found.span()
        return None

    def content(self, index: int) -> bool:
        """Whether the unit at an index says something about what is meant."""
        return self.units[index].stem not in STOP_WORDS

    @cached_property
    def terms(self) -> list[str]:
        """What is searched for: stems that say something, Chinese characters and pairs of them; each once."""
        found: dict[str, None] = {}
        before: Unit | None = None
        for index, unit in enumerate(self.units):
            han = is_han_unit(unit.stem)
            if self.content(index):
                found[unit.stem] = None
            if han and before is not None and before.end == unit.start and is_han_unit(before.stem):
                found[before.stem + unit.stem] = None
            before = unit
        return list(found)

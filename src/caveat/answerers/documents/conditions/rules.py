"""The rules of a document, from its sentences, lists, headings and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from caveat.answerers.documents.conditions.context import InContext, heading_level, in_context
from caveat.answerers.documents.conditions.reading import LINE_ENDS, LONGEST_SENTENCE, Reading
from caveat.answerers.documents.conditions.rule import Rule
from caveat.answerers.documents.conditions.statement import Statement
from caveat.core.logic import Any, Atom, Not, simplify
from caveat.core.records import Document
from caveat.language.sentences import sentences

__all__ = ["Rule", "rules_of"]

_CASE = re.compile(
    r"(?<=\w) (?P<case>for (?!example|instance|more|further|each|every|the (?:first|next|last))[^()]+?)\s*$",
    re.IGNORECASE,
)
_ANOTHER_WAY = re.compile(
    r"\b(?:can|could|may|might|will|['’]ll|are|is) (?:also|still) .*"
    r"\b(?:eligible|qualify|entitled|able|get|claim|apply)\b",
    re.IGNORECASE,
)
_MOST_CASES = 40


def rules_of(document: Document) -> tuple[Rule, ...]:
    """The rules that the document states, in its order."""
    places = in_context(document)
    reading = Reading(places)
    found: list[Rule] = []
    for place in places:
        if heading_level(place.element):
            found += _heading_rules(places, reading, place.index)
        elif place.element.tag == "tr":
            found += _row_rules(places, place)
        elif place.index not in reading.used:
            stated = list(_sentence_rules(reading, place))
            found += stated or _case_rules(reading, places, place)
    return _with_other_ways(places, found)


def _heading_rules(places: Sequence[InContext], reading: Reading, index: int) -> Iterator[Rule]:
    """ "If you’re under 18": the whole section is said of that case."""
    text = places[index].element.text
    first, _, case = text.partition(" ")
    first = first.lower()
    if first in ("if", "unless") and case.strip() and len(text) <= LONGEST_SENTENCE:
        condition = reading.clauses(index, len(first) + 1, len(text))
        condition = Not(condition) if first == "unless" else condition
        yield Rule("heading", index, simplify(condition), governs=_section(places, index))


def _section(places: Sequence[InContext], heading: int) -> tuple[int, ...]:
    level = heading_level(places[heading].element)
    end = heading + 1
    while end < len(places) and not 0 < heading_level(places[end].element) <= level:
        end += 1
    return tuple(range(heading + 1, end))


def _row_rules(places: Sequence[InContext], place: InContext) -> Iterator[Rule]:
    """A row of a table is said of the case in its first cell, under the head of that column."""
    if place.introduction is None:
        return
    cell, bar, rest = place.element.text.partition(" | ")
    head, _, heads = places[place.introduction].element.text.partition(" | ")
    if cell.strip() and rest.strip() and heads and len(cell) <= LONGEST_SENTENCE:
        start, end = place.element.start, place.element.end
        question = f'Does this apply to you: "{head.strip()}: {cell.strip()}"?'
        atom = Atom(cell, question, place.index, start, start + len(cell))
        yield Rule("row", place.index, atom, rest, start + len(cell) + len(bar), end, governs=(place.index,))


def _sentence_rules(reading: Reading, place: InContext) -> Iterator[Rule]:
    text = place.element.text.translate(LINE_ENDS)
    spans = sentences(text)
    for number, (start, end) in enumerate(spans):
        if end - start <= LONGEST_SENTENCE:
            items = place.items if number == len(spans) - 1 else ()
            before = text[slice(*spans[number - 1])] if number else ""
            rule = Statement(reading, place, start, text[start:end], items).rule(before)
            if rule is not None:
                yield rule


def _case_rules(reading: Reading, places: Sequence[InContext], place: InContext) -> Iterator[Rule]:
    """ "the council for local roads", "the agency for motorways": items that say each for which case they are."""
    case = _CASE.search(place.element.text) if place.introduction is not None else None
    if case is None or len(place.element.text) > LONGEST_SENTENCE:
        return
    siblings = places[place.introduction or 0].items
    if 1 < len(siblings) <= _MOST_CASES and all(_CASE.search(places[item].element.text) for item in siblings):
        start = place.element.start
        condition = reading.clauses(place.index, case.start("case"), case.end("case"))
        consequence = place.element.text[: case.start()]
        yield Rule(
            "if", place.index, condition, consequence, start, start + case.start(), governs=(place.index,)
        )


def _with_other_ways(places: Sequence[InContext], rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """ "You may also be eligible if …": another way to meet what was required just before, in the same section."""
    found = list(rules)
    for at, rule in enumerate(found):
        if rule.kind != "if" or rule.denies or not _ANOTHER_WAY.search(rule.consequence):
            continue
        for before in range(at - 1, -1, -1):
            other = found[before]
            if places[other.element].headings != places[rule.element].headings:
                break
            if other.kind in ("if", "must") and not other.denies:
                condition = simplify(Any((other.condition, rule.condition)))
                found[before] = msgspec.structs.replace(other, condition=condition)
                break
    return tuple(found)

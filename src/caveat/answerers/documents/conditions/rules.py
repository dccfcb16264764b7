"""The rules of a document, from its sentences, lists, headings and tables, and which conditions govern an element."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

import msgspec

from caveat.answerers.documents.conditions.context import InContext, in_context
from caveat.answerers.documents.conditions.expressions import LINE_ENDS, LONGEST_SENTENCE, ConditionReader
from caveat.answerers.documents.conditions.statement import Rule, Statement
from caveat.core.languages import Language, language_of
from caveat.core.limits import checkpoint
from caveat.core.logic import HOLDS, All, Any, Atom, Expression, Not, atoms_of, simplify
from caveat.core.records import Document
from caveat.language.packs import pack
from caveat.language.sentences import sentences
from caveat.sources.outline import heading_level

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
# What packs call the reader of rules that is here.
_ENGLISH = "english"

# In a text without headings, what is said farther away than this does not bind.
_REACH = 40
_COMPLETE = re.compile(r"[.!?。！？]['\"’”)\]]*\s*$")
# A sentence that speaks of the one before it.
_GOES_ON = re.compile(r"(?:this|that|these|those|it|they|such|but|however|otherwise)\b", re.IGNORECASE)


def rules_of(document: Document) -> tuple[Rule, ...]:
    """The rules that an English document states, in its order."""
    places = in_context(document)
    reader = ConditionReader(places)
    found: list[Rule] = []
    for place in places:
        checkpoint()
        if heading_level(place.element):
            found += _heading_rules(places, reader, place.index)
        elif place.element.tag == "tr":
            found += _row_rules(places, place)
        elif place.index not in reader.used:
            stated = list(_sentence_rules(reader, place))
            found += stated or _case_rules(reader, places, place)
    return _with_other_ways(places, found)


def _heading_rules(places: Sequence[InContext], reader: ConditionReader, index: int) -> Iterator[Rule]:
    """ "If you’re under 18": the whole section is said of that case."""
    text = places[index].element.text
    first, _, case = text.partition(" ")
    first = first.lower()
    if first in ("if", "unless") and case.strip() and len(text) <= LONGEST_SENTENCE:
        condition = reader.clauses(index, len(first) + 1, len(text))
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
        question = f'Does this apply: "{head.strip()}: {cell.strip()}"?'
        atom = Atom(cell, question, place.index, start, start + len(cell))
        yield Rule("row", place.index, atom, rest, start + len(cell) + len(bar), end, governs=(place.index,))


def _sentence_rules(reader: ConditionReader, place: InContext) -> Iterator[Rule]:
    text = place.element.text.translate(LINE_ENDS)
    spans = sentences(text)
    for number, (start, end) in enumerate(spans):
        checkpoint()
        if end - start <= LONGEST_SENTENCE:
            # A sentence that is complete introduces no list, whatever stands under it.
            last = number == len(spans) - 1 and not _COMPLETE.search(text, start, end)
            items = place.items if last else ()
            before = text[slice(*spans[number - 1])] if number else ""
            rule = Statement(reader, place, start, text[start:end], items).rule(before)
            if rule is not None:
                yield rule


def _case_rules(reader: ConditionReader, places: Sequence[InContext], place: InContext) -> Iterator[Rule]:
    """ "the council for local roads", "the agency for motorways": items that each say which case they are for."""
    case = _CASE.search(place.element.text) if place.introduction is not None else None
    if case is None or len(place.element.text) > LONGEST_SENTENCE:
        return
    siblings = places[place.introduction or 0].items
    if 1 < len(siblings) <= _MOST_CASES and all(_CASE.search(places[item].element.text) for item in siblings):
        start = place.element.start
        condition = reader.clauses(place.index, case.start("case"), case.end("case"))
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


def _rules_in(document: Document, language: Language) -> tuple[Rule, ...]:
    """The rules of a document by what reads those of its language; none where nothing does."""
    own = pack(language)
    if own.rules is None:
        return ()
    found: tuple[Rule, ...] = rules_of(document) if own.rules == _ENGLISH else own.load(own.rules)(document)
    return found


class Rulebook:
    """A document's rules, to be asked for any of its elements."""

    def __init__(self, document: Document, language: Language | None = None) -> None:
        self.document = document
        self.places: tuple[InContext, ...] = in_context(document)
        self.rules: tuple[Rule, ...] = _rules_in(document, language or language_of(document.text))
        self._cases = {rule.element: rule.condition for rule in self.rules if rule.kind == "heading"}
        self._sentences: dict[int, tuple[list[tuple[int, int]], list[int]]] = {}
        self._said_of: dict[int, list[int]] = {}
        for number, rule in enumerate(self.rules):
            for index in rule.governs if rule.kind != "heading" else ():
                self._said_of.setdefault(index, []).append(number)
        self._binding = [number for number, rule in enumerate(self.rules) if rule.binds]

    def governing(
        self, element: int, at: int | None = None, *, concerns: Callable[[int], bool] = lambda _: True
    ) -> Expression | None:
        """The condition of an element, simplified; None where it has none.

        It is made of the conditions in the headings over the element, of the rules that are said of it or of its
        list, and of what binds in the sections over it and under it: requirements, and exceptions as a Not, of those
        elements that concern what was asked. Of an element that denies ("You cannot claim if …") it is the condition of
        the denial, and nothing else. With `at`, a place in the document's text, it is that of the sentence there.
        """
        headings = self.places[element].headings
        own = self._said_of.get(element, [])
        parts = self._said(element, at)
        if any(self.rules[number].denies for number in own):
            return _together(parts)  # what is denied needs nothing else
        near = bisect_left(self._binding, element - _REACH, key=lambda number: self.rules[number].element)
        for number in self._binding[near:]:
            rule = self.rules[number]
            if rule.element > element + _REACH:
                break
            if number in own or not concerns(rule.element):
                continue
            if (demand := self._demand(rule, headings)) is not None:
                parts.append(demand)
        return _together(parts)

    def said_of(self, element: int, at: int | None = None) -> Expression | None:
        """The same without what binds elsewhere in the section: the headings' conditions and the element's own.

        With `at`, a place in the document's text, of an "if" only where it is said of the sentence there.
        """
        return _together(self._said(element, at))

    def demands(self, element: int) -> bool:
        """Whether what is said of an element holds under its condition alone: "only if", "if all of these apply"."""
        return any(self.rules[number].binds for number in self._said_of.get(element, ()))

    def demanded(self, element: int, start: int, end: int) -> Expression | None:
        """What a sentence of an element says must be."""
        found = [
            rule.condition
            for number in self._said_of.get(element, ())
            if (rule := self.rules[number]).kind == "must"
            and rule.element == element
            and any(start <= atom.start < end for atom in atoms_of(rule.condition))
        ]
        return _together(found)

    def grants(self, element: int) -> bool | None:
        """Whether what an element says under its condition is so ("if"), or is not so; None where it states no rule."""
        own = [
            self.rules[number] for number in self._said_of.get(element, ()) if self.rules[number].kind == "if"
        ]
        return not any(rule.denies for rule in own) if own else None

    def stated_by(self, element: int) -> tuple[int, int] | None:
        """Of an item that is itself a condition, where that stands which holds under it: its element, and its place."""
        for number in self._said_of.get(element, ()):
            rule = self.rules[number]
            if rule.element != element and any(atom.element == element for atom in atoms_of(rule.condition)):
                return rule.element, max(rule.start, self.document.elements[rule.element].start)
        return None

    def _said(self, element: int, at: int | None = None) -> list[Expression]:
        headings = self.places[element].headings
        cases = [self._cases[index] for index in headings if index in self._cases]
        said = (self.rules[number] for number in self._said_of.get(element, ()))
        return [
            *cases,
            *(rule.condition for rule in said if at is None or self._is_said_at(rule, element, at)),
        ]

    def _is_said_at(self, rule: Rule, element: int, at: int) -> bool:
        """Whether a rule speaks of the sentence at a place of an element that it governs.

        "It costs £50. You get a grant if …" makes the grant depend, not the price; "It is paid if …" speaks
        of what was said before. What stands in the condition itself does not depend on it.
        """
        if any(atom.start <= at < atom.end for atom in atoms_of(rule.condition)):
            return False
        if rule.kind not in ("if", "must") or rule.element != element:
            return True
        inside = self.document.elements[element]
        stands = rule.start if rule.start >= 0 else min(atom.start for atom in atoms_of(rule.condition))
        if not inside.start <= stands < inside.end:
            return True
        spans, ends = self._sentences_of(element)
        there, of = bisect_right(ends, at), bisect_right(ends, stands)
        return there <= of and all(
            _GOES_ON.match(inside.text, start) for start, _ in spans[there + 1 : of + 1]
        )

    def _sentences_of(self, element: int) -> tuple[list[tuple[int, int]], list[int]]:
        """The sentences of an element, and where they end in the document; asked for by each of its rules."""
        if element not in self._sentences:
            inside = self.document.elements[element]
            spans = sentences(inside.text)
            self._sentences[element] = spans, [inside.start + end for _, end in spans]
        return self._sentences[element]

    def _demand(self, rule: Rule, headings: tuple[int, ...]) -> Expression | None:
        """What a rule that binds demands under these headings; None where it belongs to another section."""
        theirs = self.places[rule.element].headings
        shared = min(len(headings), len(theirs))
        if headings[:shared] != theirs[:shared]:
            return None
        demand = Not(rule.condition) if rule.denies else rule.condition
        # Under a heading of its own it demands that only in that case.
        cases = [Not(self._cases[index]) for index in theirs[shared:] if index in self._cases]
        return Any((*cases, demand)) if cases else demand


def _together(parts: list[Expression]) -> Expression | None:
    found = simplify(All(tuple(parts)))
    return None if found == HOLDS else found

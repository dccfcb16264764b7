"""The conditions under which what an element says holds: its own, its list's, its headings' and its section's."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from caveat.answerers.documents.conditions.context import InContext, in_context
from caveat.answerers.documents.conditions.rules import Rule, rules_of
from caveat.core.logic import HOLDS, All, Any, Expression, Not, atoms_of, simplify
from caveat.core.records import Document
from caveat.language.sentences import sentences

__all__ = ["Rulebook", "governing"]

# What is said further away binds no more, in a text without headings.
_REACH = 40
# A sentence that speaks of the one before it.
_GOES_ON = re.compile(r"(?:this|that|these|those|it|they|such|but|however|otherwise)\b", re.IGNORECASE)


def governing(document: Document, element: int) -> Expression | None:
    """The condition of the element with this index, or None; for many elements of one document make a `Rulebook`."""
    return Rulebook(document).governing(element)


class Rulebook:
    """A document's rules, to be asked for any of its elements."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.places: tuple[InContext, ...] = in_context(document)
        self.rules: tuple[Rule, ...] = rules_of(document)
        self._cases = {rule.element: rule.condition for rule in self.rules if rule.kind == "heading"}
        self._said_of: dict[int, list[int]] = {}
        for number, rule in enumerate(self.rules):
            for index in rule.governs if rule.kind != "heading" else ():
                self._said_of.setdefault(index, []).append(number)
        self._binding = [number for number, rule in enumerate(self.rules) if rule.binds]

    def governing(self, element: int) -> Expression | None:
        """The condition of an element, simplified; None where it has none.

        It is made of the conditions in the headings over the element, of the rules that are said of it or of its
        list, and of what binds in the sections over it and under it: requirements, and exceptions as a Not. Of an
        element that denies ("You cannot claim if …") it is the condition of the denial, and nothing else.
        """
        headings = self.places[element].headings
        own = self._said_of.get(element, [])
        parts = self._said(element)
        if any(self.rules[number].denies for number in own):
            return _together(parts)  # what is denied needs nothing else
        near = bisect_left(self._binding, element - _REACH, key=lambda number: self.rules[number].element)
        for number in self._binding[near:]:
            rule = self.rules[number]
            if rule.element > element + _REACH:
                break
            if number not in own and (demand := self._demand(rule, headings)) is not None:
                parts.append(demand)
        return _together(parts)

    def said_of(self, element: int, at: int | None = None) -> Expression | None:
        """The same without what binds elsewhere in the section: the headings' conditions and the element's own.

        With `at`, a place in the document's text, of an "if" only where it is said of the sentence there.
        """
        return _together(self._said(element, at))

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
        if rule.kind != "if" or rule.binds or rule.element != element or rule.start < 0:
            return True
        inside = self.document.elements[element]
        spans = sentences(inside.text)
        ends = [inside.start + end for _, end in spans]
        there, of = bisect_right(ends, at), bisect_right(ends, rule.start)
        return there <= of and all(
            _GOES_ON.match(inside.text, start) for start, _ in spans[there + 1 : of + 1]
        )

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

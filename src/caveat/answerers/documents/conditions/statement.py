"""The rule that one sentence states: its conditions, what it requires, the list that it introduces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

import msgspec

from caveat.answerers.documents.conditions.context import InContext
from caveat.answerers.documents.conditions.expressions import ConditionReader
from caveat.core.logic import HOLDS, All, Any, Expression, Not, simplify
from caveat.language.packs.en.clause import parse_clause
from caveat.language.packs.en.connectives import Segment, segments, split_clauses
from caveat.language.packs.en.introduction import (
    PURPOSE,
    QUANTIFIED,
    demand_of,
    denies_something,
)
from caveat.language.packs.en.vocabulary import any_of, vocabulary

Kind = Literal["if", "must", "heading", "row"]

_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
# What one must do, not be: the steps of an application are not conditions of entitlement.
_STEPS = re.compile(
    r"(?:not )?(?:tell|include|keep|ask|visit|collect|display|update|store|avoid|ensure|provide|show|send|register"
    r"|follow|contact|use|check|complete|report|record|write|fill|say|state|read|know|choose|enclose|notify|inform"
    r"|explain|download|book|print|email|call|phone|identify|calculate|deduct|add|set out|submit|file)\b",
    re.IGNORECASE,
)
_STEPS_WITH_OBJECTS = re.compile(r"(?:not )?(?:claim|make|take|maintain|give a)\b", re.IGNORECASE)
_BEING = re.compile(
    r"(?:not )?(?:be|have|own|live|hold|meet|earn|get|weigh|reside|occupy|belong|intend|apply$|normally|all|both)\b",
    re.IGNORECASE,
)
# … but what must be shown must be so.
_SHOWS = re.compile(r"(?:show|ensure|prove|confirm)(?: us| them)?(?: that)?", re.IGNORECASE)
_POINTS_BACK = re.compile(r"(?:this|these|those|it|they)\b", re.IGNORECASE)
_IF_NOT = re.compile(r"(?:if (?:not|so)|otherwise)\b", re.IGNORECASE)
_SHORT_DENIAL = re.compile(
    r"(?:you|they|it|he|she)(?:['’](?:re|ve|s)| (?:are|have|has|is|do|does|did|can))? ?(?:not|cannot)",
    re.IGNORECASE,
)
_NO_MATTER = re.compile(r"\b(?:not|n['’]t) matter\b", re.IGNORECASE)
_CAN = re.compile(
    r"\b(?:cannot|can['’]t|can|may|could)(?: (?:usually|normally|also|only|not))*\b", re.IGNORECASE
)
_CONSEQUENCES = re.compile(r"\b(?:follow (?:these|the) steps|do the following|as follows)\b", re.IGNORECASE)
# "You can buy the following if you are a member:": the list is what one can buy.
_PROMISED = re.compile(r"\b(?:the following|these)(?: \w+){0,2}\s*$", re.IGNORECASE)
# A condition that is not complete without its list: "If you’re a:", "if you get the:".
_UNFINISHED = re.compile(
    r"(?:^|\s)(?:an?|the|for|to|in|at|from|with|of|by|on|your|you|they|it|not|is|are|was|were|be|been|get|have|has|had)$"
    r"|['’](?:re|ve|s|ll)$",
    re.IGNORECASE,
)
_ALSO = re.compile(r"\b(?:also|still|for example)\b", re.IGNORECASE)
_MAY = re.compile(r"\b(?:can|may|could|might)\b", re.IGNORECASE)
_RIGHT = re.compile(r"\b(?:eligible|qualif(?:y|ies)|entitled)\b", re.IGNORECASE)
_AND_BE = re.compile(r",? and (?=(?:not )?(?:be|have) )")
_MEMBERS = re.compile(r"\b(?:eligible|qualifying)\b[^.]*\b(?:includes?|are):$", re.IGNORECASE)
_REASONS = re.compile(r"\b(?:reasons|circumstances|cases|situations)\b[^.]*:$", re.IGNORECASE)


class Rule(msgspec.Struct, frozen=True, tag="rule", omit_defaults=True):
    """What holds under a condition.

    `element` is where the consequence stands, `start:end` its place in the document's text. A rule denies if
    its consequence is that something is not so ("You cannot claim if …"). It binds where the consequence fails with
    the condition: what must be, "only if", "unless". `governs` are the elements that it is said of.
    """

    kind: Kind
    element: int
    condition: Expression
    consequence: str = ""
    start: int = -1
    end: int = -1
    denies: bool = False
    binds: bool = False
    governs: tuple[int, ...] = ()


class Statement:
    """A sentence of an element, with the items of the list that it introduces."""

    def __init__(
        self, reader: ConditionReader, place: InContext, start: int, text: str, items: Sequence[int]
    ) -> None:
        self.reader, self.place, self.start, self.text, self.items = reader, place, start, text, items
        self.parts = segments(text)
        self.opens_list = bool(items) and text.rstrip().endswith(":")
        mains = [part for part in self.parts if part.sense == "main"]
        # The consequence stands before its conditions or after them; a list continues the last words.
        in_front = bool(mains) and self.parts[0].sense == "main" and not self.opens_list
        self.main = (mains[0] if in_front else mains[-1]) if mains else None
        self.consequence = text[self.main.start : self.main.end] if self.main else ""

    def rule(self, before: str) -> Rule | None:
        """The rule that the sentence states, if it does; `before` is the sentence before it."""
        conditions = self._conditions(before)
        required = self._required()
        if required is not None:
            purpose = PURPOSE.match(self.text)
            condition = Any((*map(Not, conditions), required)) if conditions else required
            return self._rule("must", condition, purpose[1] if purpose else before, binds=True)
        denies = denies_something(self.consequence)
        if not conditions and (listed := self._excluded(denies)) is not None:
            return self._rule("if", listed, self.consequence, denies=denies, binds=True)
        if not conditions or _NO_MATTER.search(self.consequence):
            return None
        excepted = any(part.only or part.sense == "unless" for part in self.parts)
        binds = denies or excepted or _ONLY.search(self.consequence) is not None or self._defines()
        points_back = _POINTS_BACK.match(self.consequence) is not None
        condition = All(tuple(conditions))
        return self._rule("if", condition, self.consequence, denies=denies, binds=binds and not points_back)

    def _rule(
        self,
        kind: Kind,
        condition: Expression,
        consequence: str,
        *,
        denies: bool = False,
        binds: bool = False,
    ) -> Rule | None:
        condition = simplify(condition)
        if condition == HOLDS:
            return None
        start = end = -1
        if self.main:
            offset = self.place.element.start + self.start
            start, end = offset + self.main.start, offset + self.main.end
        governs = (self.place.index, *self._all_items(self.items))
        return Rule(kind, self.place.index, condition, consequence, start, end, denies, binds, governs)

    def _all_items(self, items: Sequence[int]) -> list[int]:
        """The items of the list with those of the lists inside it, in order."""
        found: list[int] = []
        stack = list(reversed(items))
        while stack:
            found.append(stack.pop())
            stack += reversed(self.reader.places[found[-1]].items)
        return found

    def _conditions(self, before: str) -> list[Expression]:
        found: list[Expression] = []
        for part in self.parts:
            if part.sense == "main":
                continue
            items = self.items if part is self.parts[-1] and self._lists_conditions(part) else ()
            span = self.start + part.start, self.start + part.end
            if _SHORT_DENIAL.fullmatch(self.text[part.start : part.end].strip()) and (
                said := _elided_condition(before)
            ):
                expression: Expression = Not(self.reader.atom(self.place.index, *span, *said))
            else:
                # One exception is enough, whatever the consequence.
                consequence = self.consequence if part.sense == "if" else ""
                expression = self.reader.condition(self.place.index, *span, items, consequence)
            expression = Not(expression) if part.sense == "unless" else expression
            if part.joint == "or" and found:
                found[-1] = Any((found[-1], expression))
            else:
                found.append(expression)
        return found

    def _defines(self) -> bool:
        """ "You can get it if all of these apply:", "You qualify if:": who does not meet that does not get it."""
        last = self.parts[-1]
        if last.sense != "if" or not self._lists_conditions(last) or _ALSO.search(self.consequence):
            return False
        if _RIGHT.search(self.consequence):
            return True
        counted = QUANTIFIED.search(self.text[last.start : last.end]) is not None
        return counted and _MAY.search(self.consequence) is not None

    def _lists_conditions(self, part: Segment) -> bool:
        """Whether the list goes on with the condition, or with what follows from it."""
        if not self.opens_list or _CONSEQUENCES.search(self.consequence):
            return False
        words = self.text[part.start : part.end]
        finished = QUANTIFIED.search(words) is None and _UNFINISHED.search(words) is None
        return not finished or (self.main is not None and not _PROMISED.search(self.consequence))

    def _required(self) -> Expression | None:
        """What the sentence says must be, or may not be, if it does; the items of its list are part of it."""
        main, words = self.main, self.consequence
        if main is None or _IF_NOT.match(words):
            return None
        listed = self.opens_list and main is self.parts[-1]
        demand = demand_of(_without_purpose(words))
        if demand is None or (words.rstrip().endswith(":") and not listed):
            return None
        wanted = demand.wanted
        if any(part.sense != "main" for part in self.parts) and not _BEING.match(wanted or "be"):
            return None  # "You must apply if …": a duty in a case, not a condition of a right
        if _institutions().search(demand.subject) and not wanted.startswith(
            ("be ", "have ", "not be ", "not have ")
        ):
            return None
        if not listed:
            return self._demanded(main)
        if self._lists_steps(wanted):
            return None
        if wanted.startswith("not "):
            introduction = f"{demand.subject} must {wanted.removeprefix('not ')} any of:"
            return Not(self.reader.listed(self.items, introduction, required=True))
        return self.reader.listed(self.items, f"{demand.subject} must {wanted}:", required=True)

    def _demanded(self, main: Segment) -> Expression | None:
        """The demands of one sentence: "You must be a member, and your club must be registered"."""
        words = self.consequence.rstrip(" .")
        said = _without_purpose(words)
        offset = len(words) - len(said)
        joint, pieces = split_clauses(said)
        found: list[Expression] = []
        for start, end, subject in pieces:
            text = said[start:end]
            demand = demand_of(f"{subject} {text}" if subject else text)
            if demand is None or not demand.wanted or _STEPS.match(demand.wanted):
                continue
            base = self.start + main.start
            span = base + (offset + start if start else 0), base + offset + end
            for wanted in _AND_BE.split(demand.wanted):
                found.append(self.reader.atom(self.place.index, *span, wanted, f"{demand.subject} must"))
        return None if not found else Any(tuple(found)) if joint == "or" else All(tuple(found))

    def _lists_steps(self, wanted: str) -> bool:
        """Whether the items are what to do, or what to do it with, and not what one has to be."""
        texts = [self.reader.places[item].element.text for item in self.items]
        most = len(texts) / 2
        if _STEPS.match(wanted):
            clauses = sum(parse_clause(text) is not None for text in texts)
            return _SHOWS.fullmatch(wanted) is None or clauses < most
        steps = sum(_STEPS.match(text) is not None for text in texts)
        whole = sum(text[:1].isupper() and text.endswith(".") for text in texts)
        return steps > most or whole > most or _STEPS_WITH_OBJECTS.match(wanted) is not None

    def _excluded(self, denies: bool) -> Expression | None:
        """ "You cannot claim for:", "You can only claim for:": a list of what is out, or of all that is in."""
        said = self.consequence
        if not self.opens_list:
            return None
        if _MEMBERS.search(said):
            return self.reader.listed(self.items, "it is any of:", required=True)
        can = _CAN.search(said)
        only = _ONLY.search(said) or _REASONS.search(said)
        if not can or not (denies or only) or _POINTS_BACK.match(said):
            return None
        introduction = f"{said[: can.start()].rstrip()} must {said[can.end() :].strip(' :')} any of:"
        return self.reader.listed(self.items, introduction, required=True)


@cache
def _institutions() -> re.Pattern[str]:
    """Those who have duties themselves; "your landlord’s consent" is the asker's to get."""
    return re.compile(rf"\b(?:{any_of(vocabulary().institutions)}|most people)s?\b(?!['’])", re.IGNORECASE)


def _without_purpose(words: str) -> str:
    purpose = PURPOSE.match(words)
    return words[purpose.end() :] if purpose else words


def _elided_condition(before: str) -> tuple[str, str] | None:
    """What "if you do not" leaves out: the demand, or the condition, of the sentence before."""
    for part in segments(before):
        words = before[part.start : part.end].strip(" .")
        if part.sense == "main" and (demand := demand_of(words)) and demand.wanted:
            return demand.wanted, f"{demand.subject} must"
        if part.sense == "if":
            return words, ""
    return None

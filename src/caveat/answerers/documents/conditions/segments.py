"""Which part of a sentence is the condition and which the consequence: "You can get X if A, unless B"."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from caveat.answerers.documents.conditions.clause import bare, is_verb_phrase, parse_clause
from caveat.answerers.documents.conditions.conjuncts import JOINT, SUBJECT
from caveat.answerers.documents.conditions.connectives import Connective, connectives

__all__ = ["Segment", "Sense", "segments", "without_aside"]

Sense = Literal["main", "if", "unless"]

# Where the consequence begins behind a condition in front: "If you’re disabled you can apply".
_CONSEQUENCE = re.compile(
    r"\s(?=(?:you|they|he|she|it|we|there|(?:your|the|their|this|these|any|an?)\s+"
    r"(?:(?!you\b|they\b|he\b|she\b|it\b|we\b)[\w’'-]+\s+){1,4}?)"
    r"(?:\s*(?:can|may|might|could|must|will|should|cannot|needs? to|ha(?:ve|s) to"
    r"|do(?:es)? not (?:need|have|get|pay|qualify))\b|['’]ll\b))",
    re.IGNORECASE,
)
_BEFORE_A_FRONTED = re.compile(
    r"[\s(]*(?:(?:but|and|or|also|usually|normally|otherwise|however|for example|generally|in some circumstances)"
    r"[,\s]+)*",
    re.IGNORECASE,
)
# "For a fixed-term tenancy your landlord can …", "In Scotland, …": said of that case alone.
_RESTRICTION = re.compile(
    r"\s*(?P<words>For (?!the|each|every|this|these|example|instance|more|further|information|help|advice|most|some"
    r"|\w+ purposes|\d)|In (?!January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?:the )?(?=[A-Z]))"
)
_LONGEST_RESTRICTION = 120
# Behind one of these the condition goes on: "if you think …", "if your …".
_WANTS_MORE = frozenset("and or but that think believe if when your the before after".split())  # noqa: SIM905
_ASIDE = re.compile(r"\s[-–—]\s")
_ASIDE_BEGINS = re.compile(r"(?:you|this|these|those|it|they|the letter|but|see|find out)\b", re.IGNORECASE)
_AROUND = " ,;-–—("


class Segment(NamedTuple):
    """A part of a sentence, as a span of it; `joint` is the "and" or "or" before its connective."""

    sense: Sense
    start: int
    end: int
    only: bool = False
    joint: str = ""


def segments(sentence: str) -> list[Segment]:
    """The parts of a sentence, in order: what is said, and under which conditions it is said."""
    found: list[Segment] = []
    taken = 0  # what is before belongs to a segment
    if restriction := _RESTRICTION.match(sentence):
        end, resume = _end_of_fronted(sentence, restriction.end())
        if resume < len(sentence) and end - restriction.end() < _LONGEST_RESTRICTION:
            found.append(Segment("if", restriction.start("words"), end))
            taken = resume
    for connective in connectives(sentence):
        if connective.start < taken:
            continue
        before = sentence[taken : connective.start]
        in_front = _BEFORE_A_FRONTED.fullmatch(before) is not None
        if in_front or _is_inserted(sentence, before, connective):
            end, resume = _end_of_fronted(sentence, connective.end)
        else:
            end, resume = _end_of_tail(sentence, connective)
        if not in_front and before.strip(_AROUND):
            found.append(Segment("main", *_trimmed(sentence, taken, connective.start)))
        if connective.end < end or _opens_list(sentence, end):
            sense: Sense = "unless" if connective.excepts else "if"
            found.append(Segment(sense, connective.end, end, connective.only, connective.joint))
        taken = resume
    if sentence[taken:].strip(" ,;:.-–—()"):
        found.append(Segment("main", *_trimmed(sentence, taken, len(sentence))))
    return found


def _opens_list(sentence: str, end: int) -> bool:
    """ "You can claim if:": the condition is all in the list."""
    return sentence.rstrip().endswith(":") and end == len(sentence.rstrip())


def _is_inserted(sentence: str, before: str, connective: Connective) -> bool:
    """ "You are paid or, if you’re under 18, your parents are": between commas, with a clause behind it."""
    return before.rstrip().endswith(",") and any(
        parse_clause(sentence[at + 1 :].strip()) is not None and not JOINT.match(sentence, at)
        for at in _commas(sentence, connective.end)
    )


def _end_of_fronted(sentence: str, start: int) -> tuple[int, int]:
    """Where a condition in front ends, and where its consequence begins."""
    commas = _commas(sentence, start)
    consequence = [at for at in commas if _CONSEQUENCE.match(sentence, at + 1)]
    imperative = [
        at
        for at in commas
        if is_verb_phrase(sentence[at + 1 : at + 60]) and not _goes_on(sentence, start, at)
    ]
    clause = [
        at
        for at in commas
        if parse_clause(sentence[at + 1 :].strip()) is not None and not JOINT.match(sentence, at)
    ]
    subject = [at for at in clause if SUBJECT.match(sentence[at + 1 :].strip())]
    for choice in (consequence[:1], imperative[:1], subject[:1], clause[-1:]):
        if choice:
            return choice[0], choice[0] + 1
    plain = _CONSEQUENCE.search(sentence, sentence.find(" ", start + 1) + 1)
    if plain and not _goes_on(sentence, start, plain.start()):
        return plain.start(), plain.end()
    if commas and not sentence.rstrip().endswith(":"):
        return commas[-1], commas[-1] + 1
    return max(start, len(sentence.rstrip(" .:;"))), len(sentence)


def _goes_on(sentence: str, start: int, at: int) -> bool:
    words = sentence[start:at].split()
    return not words or bare(words[-1]) in _WANTS_MORE


def _end_of_tail(sentence: str, connective: Connective) -> tuple[int, int]:
    """Where a condition behind its consequence ends: at the next connective, a closing bracket, an aside."""
    start = connective.end
    opening = sentence.rfind("(", 0, connective.start)
    if opening >= 0 and ")" not in sentence[opening : connective.start]:
        closing = _closing(sentence, opening)
        return closing, closing + 1
    end = len(sentence.rstrip(" .:;"))
    for further in connectives(sentence, start):
        if sentence.count("(", start, further.start) == sentence.count(")", start, further.start):
            end = min(end, further.start)
            break
    if aside := _ASIDE.search(sentence, start, end):
        end = aside.start()
    end = max(start, start + len(sentence[start:end].rstrip(" ,;.-–—(")))
    return end, end


def _closing(sentence: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(sentence)):
        depth += {"(": 1, ")": -1}.get(sentence[at], 0)
        if depth == 0:
            return at
    return len(sentence)


def _commas(sentence: str, start: int) -> list[int]:
    """Where commas stand outside brackets."""
    depth, found = 0, []
    for at in range(start, len(sentence)):
        depth += {"(": 1, ")": -1}.get(sentence[at], 0)
        if sentence[at] == "," and depth <= 0:
            found.append(at)
    return found


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    if piece.count("(") > piece.count(")"):
        piece = piece[: piece.rindex("(")]  # the condition stood in brackets
    left = len(piece) - len(piece.lstrip(" ,;)-–—"))
    return start + left, start + max(left, len(piece.rstrip(_AROUND)))


def without_aside(text: str) -> str:
    """The text without what follows a dash, if that tells the reader something else to do or to know."""
    for dash in _ASIDE.finditer(text):
        if _ASIDE_BEGINS.match(text, dash.end()) or is_verb_phrase(text[dash.end() :]):
            return text[: dash.start()]
    return text

"""How English questions are worded: yes or no, a list or a span; the cues of their kind; what stands before them."""

from __future__ import annotations

import re
from typing import Literal

from caveat.language.follow_up import inquiry
from caveat.language.packs.en import PACK

QuestionType = Literal["yes or no", "list", "span"]

_CLAUSE = re.compile(r"[?.!;,:]+\s*|(?<!\s)\s+-\s+|\b(?:and|but|so|then)\s+", re.IGNORECASE)
_AUXILIARY = re.compile(
    r"(?:can|could|will|would|shall|should|may|might|must|do|does|did|is|are|am|was|were|has|have|had"
    r"|can['’]?t|won['’]?t|isn['’]?t|aren['’]?t|don['’]?t|doesn['’]?t)\s+"
    r"\w+\b",
    re.IGNORECASE,
)
_WH = re.compile(
    r"(?:(?:in|at|by|for|to|from|with|on|of|under|after|until|within|through) )?"
    r"(?:what|whats|which|who|whom|whose|where|when|why|how)(?:['’]s|['’]re|['’]d)?\b",
    re.IGNORECASE,
)
_SEVERAL = PACK.pattern("list")
# "…, or will it be given to me?", "a payment or in instalments": one of the two is the answer.
_CHOICE = re.compile(
    r"\bor (?:(?:can|will|would|should|do|does|is|are|am|must) (?:i|we|it|they|he|she|this|the|my)\b"
    r"|(?:on|in|by|at|as|only|just)\b)",
    re.IGNORECASE,
)
# "If I apply will I …": without a comma the question begins inside.
_FRONTED = re.compile(
    r"(?:if|when|as|since|because|once|given|while|although|after|i|we|my)\b", re.IGNORECASE
)
_INSIDE = re.compile(
    r"\b(?:(?P<wh>what|which|who|where|how (?:much|many|long|often|soon|far|do|does|can|should|will|would))\b"
    r"|(?P<yes>whether|(?:can|could|will|would|should|do|does|is|are|am|must) (?:i|we|he|she|it|they|there|my)\b))",
    re.IGNORECASE,
)


def question_type(question: str) -> QuestionType:
    """What a question asks for; one that begins neither with a verb nor with a question word asks for a span.

    What stands before the question itself ("If I move abroad, …", "I am 65.") does not count.
    """
    clauses = [clause.strip() for clause in _CLAUSE.split(question) if clause.strip()]
    several: QuestionType = "list" if _SEVERAL.search(question) else "span"
    if any(_WH.match(clause) for clause in clauses):
        return several
    if any(_AUXILIARY.match(clause) for clause in clauses):
        return several if several == "list" or _CHOICE.search(question) else "yes or no"
    for clause in clauses:
        inside = _INSIDE.search(clause) if _FRONTED.match(clause) else None
        if inside is not None:
            return several if inside["wh"] else "yes or no"
    return several


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[?]")
_CLAUSES = re.compile(r"[,.;:?!]+|\s[-–—]\s|\b(?:and|but|so|then)\b")
_MOST_WORDS = 3


def cues(text: str) -> list[str]:
    """The cues of a text in lower case."""
    words = ["^", *_WORD.findall(text), "$"]
    found = [
        " ".join(words[at : at + length])
        for length in range(1, _MOST_WORDS + 1)
        for at in range(len(words) - length + 1)
    ]
    for clause in _CLAUSES.split(text):
        first = clause.split()[:_MOST_WORDS]
        found += [f"<{' '.join(first[: count + 1])}" for count in range(len(first))]
    return found


_FRAME = PACK.pattern("frame")
_WISH = re.compile(
    r"^(?:can|could|would|will) you(?: please)? (?:give|send|provide|find|get|share)(?: me| us)?(?: with)?\s+"
    r"(?=(?:some |any |more |further )?(?:info|information|details|help|advice)\b)",
    re.IGNORECASE,
)
_WHETHER = re.compile(r"(?:if|whether)\s+(?:or not\s+)?", re.IGNORECASE)
_THING = re.compile(r"the (\w+)", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|but|so)$", re.IGNORECASE)
# Fewer words before the question tell nothing.
_FEWEST = 3


def rewritten(text: str) -> tuple[str, str]:
    """What is told before the frame of a question, and the question without its frame."""
    if (frame := _FRAME.search(text)) is None:
        return "", _WISH.sub("", text)
    before = text[: frame.start()].rstrip(" ,;:")
    before = _JOINED.sub("", before).rstrip(" ,;:")
    if before and len(before.split()) < _FEWEST:
        before = ""
    asked = text[frame.end() :].rstrip(" .!")
    if thing := _THING.match(asked):
        asked = f"What {'are' if thing[1].endswith('s') else 'is'} {asked}"
    if whether := _WHETHER.match(asked):
        asked = _inverted(asked[whether.end() :])
    asked = asked[:1].upper() + asked[1:]
    return before, asked if asked.endswith("?") else f"{asked}?"


def _inverted(clause: str) -> str:
    """ "I can claim" as "Can I claim"; as it is, with whether, where that cannot be told."""
    statement = clause.rstrip(" ?")
    found = inquiry(statement)
    if found.negated or '"' in found.question or not found.question.endswith("?"):
        return f"whether {statement}"
    return found.question

"""What a clause demands ("You must be over 18"), and whether it denies ("You cannot claim")."""

from __future__ import annotations

import re
from typing import NamedTuple

from caveat.answerers.documents.conditions.clause import ADVERBS, bare, parse_clause

__all__ = ["PURPOSE", "Demand", "demand_of", "denies_something"]

# "As the owner of a boat you must …"
_BEHIND_A_PHRASE = re.compile(
    r"(?:as|at|before|after|during|from|on|within) [^,:]{1,100}?,? (?=you (?:must|need to|have to)\b)",
    re.IGNORECASE,
)
_FILLERS = ("usually", "normally", "generally", "also", "still")
# "To qualify, you must …", "To qualify for a grant the club must …".
PURPOSE = re.compile(
    r"\s*(?:\w+, )?(?:in order )?to (.+?),? "
    r"(?=(?:you|they|it|he|she|(?:your|the) \w+(?: \w+)?|an? \w+|(?:\w+s (?:and|or) )?\w+s)"
    r"(?: \([^)]*\))?(?:['’]ll| (?:must|needs?|will|ha(?:ve|s) to|usually|also|normally)\b))",
    re.IGNORECASE,
)


class Demand(NamedTuple):
    """Who must, and what: "you", "be over 18"; "not" stands before what must not be."""

    subject: str
    wanted: str


def demand_of(text: str) -> Demand | None:
    """What must be, has to be or is needed to be, if the clause says so; "may have to" demands nothing."""
    text = text.rstrip(" .:")
    if behind := _BEHIND_A_PHRASE.match(text):
        text = text[behind.end() :]
    clause = parse_clause(
        f"{text} so" if text.lower().endswith(("must", "must also", "need to", "have to")) else text
    )
    if clause is None:
        return None
    words = list(clause.rest)
    if words and words[-1] == "so" and not text.endswith(" so"):
        words.pop()
    verb = clause.verb
    if verb == "will":
        words = _without_adverbs(words)
        verb, words = (bare(words[0]), words[1:]) if words else ("", [])
    if verb in ("need", "needs", "have", "has"):
        words = _without_adverbs(words)
        if not words or words[0].lower() != "to":
            return None
        words = words[1:]
    elif verb != "must":
        return None
    subject = " ".join(word for word in clause.subject.split() if bare(word) not in _FILLERS)
    return Demand(subject, " ".join(_without_adverbs(words)))


def denies_something(text: str) -> bool:
    """Whether the clause says that something is not so."""
    clause = parse_clause(text)
    if clause is None:
        return False
    for word in clause.rest:
        if bare(word) == "not":
            return True
        if bare(word) not in ADVERBS:
            break
    return clause.rest[:2] == ("no", "longer")


def _without_adverbs(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and bare(words[at]) in ADVERBS:
        at += 1
    return words[at:]

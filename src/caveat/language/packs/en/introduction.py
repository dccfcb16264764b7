"""What introduces a list says of its items: what is demanded, how many of them, and which words they complete."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from caveat.language.packs.en.clause import bare, is_verb_phrase, parse_clause
from caveat.language.packs.en.connectives import split_clauses
from caveat.language.packs.en.vocabulary import vocabulary

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

# The words at the end of an introduction that count the items or point at them.
QUANTIFIED = re.compile(
    r"[\s,]*\b(?:"
    r"(?:at least |any |only )?"
    r"(?:all|both|any|either|each|one|none|some|whichever|(?:\d{1,2}|two|three)(?= (?:or more )?of\b))"
    r"(?: or (?:more|both|all|other))?(?: of)?(?: (?:the|these))?(?: (?:following|below|things|reasons))?"
    r"(?: (?:things|conditions|criteria|requirements|statements|reasons|benefits|diseases|circumstances|\w+s))?"
    r"(?: (?:must |also |both )*(?:apply|applies|is true|are true|be true|are met|is met|be met))?"
    r"|(?:all |both )?(?:the|these) (?:following|below|things)(?: \w+)?"
    r"(?: (?:must )?(?:apply|applies|is true|are true|be true))?"
    r"|following|as follows|for example|such as|including"
    r")\s*[:.,-]*\s*$",
    re.IGNORECASE,
)
_REQUIRES = re.compile(
    r"\b(?:must|(?:will|['’]ll)?\s*(?:also )?needs? to|(?:will|['’]ll)?\s*(?:also )?ha(?:ve|s) to)\b",
    re.IGNORECASE,
)
_CONNECTIVE = re.compile(
    r"\b(?:if|unless|when|where|provid(?:ed|ing)(?: that)?|(?:as|so) long as|because(?! of)|except)\b[,\s]*",
    re.IGNORECASE,
)
# The same in the middle: "getting one or more of these benefits for 6 months:".
_GAP = re.compile(
    r"\b(?:(?:at least )?(?:all|both|any|either|each|one|\d{1,2})(?: or more)? of (?:the following|these)"
    r"|the following)(?: \w+s)?\b",
    re.IGNORECASE,
)
_BE = ("is", "are", "was", "were")
_JOINED = re.compile(r"[\s,]+(?:and|or|but|because)\s*$", re.IGNORECASE)
_LEADING = re.compile(r"^(?:and|or|but|also|usually|normally|for example)[,\s]+", re.IGNORECASE)
Quantifier = Literal["all", "any", "none"]
_NONE = re.compile(r"\b(?:none|neither)(?: of)?\b", re.IGNORECASE)
_ANY = re.compile(
    r"\b(?:any (?:one |\d+ )?of|any one|either|(?:one|1)(?: or more)? of|one or more|at least (?:one|1)|whichever"
    r"|any (?:following|these)|such as|for example|including|like)\b",
    re.IGNORECASE,
)
_ALL = re.compile(r"\b(?:all (?:of|the|these|following)|both|each of|every one of)\b", re.IGNORECASE)
_ENDS = re.compile(r"[\s,;](and|or)[\s,;]*$", re.IGNORECASE)
# What "you" have a right to, are free of, or are bound to takes all of its conditions; what happens takes one.
_EARNED = re.compile(
    r"\b(?:qualif(?:y|ies)|eligible|entitled|not (?:have|need) to|not need|not be (?:affected|charged))\b"
    r"|^you (?:can|could|must|may be able to|might be able to)\b(?!['’]t)",
    re.IGNORECASE,
)
_HAPPENS = re.compile(
    r"\b(?:not (?:be )?(?:eligible|entitled|qualify|able)|still|sometimes|for example|also)\b", re.IGNORECASE
)
_DENIED = re.compile(r"(?:\b(?:are|is|were|was|be)|['’]re|['’]s) not$", re.IGNORECASE)
# Longer lists that do not say how many are required list ways, not demands.
_MOST_DEMANDS = 5


class Demand(NamedTuple):
    """Who must, and what: "you", "be over 18"; "not" stands before what must not be."""

    subject: str
    wanted: str


def demand_of(text: str) -> Demand | None:
    """What the clause says must be or has to be, if it does; "may have to" demands nothing."""
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
    english = vocabulary()
    clause = parse_clause(text)
    if clause is None:
        return False
    for word in clause.rest:
        if bare(word) == "not":
            return True
        if bare(word) not in english.adverbs:
            break
    return clause.rest[:2] == ("no", "longer")


def _without_adverbs(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and bare(words[at]) in vocabulary().adverbs:
        at += 1
    return words[at:]


def stem_of(introduction: str) -> str:
    """The beginning that an item completes, or "" where the items stand for themselves ("if all of these apply:")."""
    text = introduction.strip().rstrip(":").strip()
    # Only the last sentence introduces.
    text = re.split(r"(?<=[.!?])\s+(?=[A-Z])", text)[-1]
    conditions = list(_CONNECTIVE.finditer(text))
    if conditions:
        text = text[conditions[-1].end() :]
    else:
        text = text[purpose.end() :] if (purpose := PURPOSE.match(text)) else text
        text = _REQUIRES.sub(" must", text, count=1)
    text = " ".join(text.split())
    text = QUANTIFIED.sub("", text)
    if joint := _JOINED.search(text):
        # "you’re 17 and either:": the item has the subject, and the verb if that is "to be".
        clause = parse_clause(text[: joint.start()])
        return f"{clause.subject} {clause.verb if clause.verb in _BE else ''}".strip() if clause else ""
    text = _LEADING.sub("", text.strip())
    # "you’re disabled and your disability was caused by": the item completes the last clause.
    _, pieces = split_clauses(f"{text} something")
    start, _, subject = pieces[-1]
    return f"{subject} {text[start:]}" if subject else text[start:]


def completed(introduction: str, item: str) -> str:
    """The introduction with the item where its words belong: "You must live in:", "Kent" → "You must live in Kent"."""
    stem = stem_of(introduction)
    if gap := _GAP.search(stem):
        return f"{stem[: gap.start()]}{item}{stem[gap.end() :]}"
    subject, _, verb = stem.partition(" ")
    if verb in _BE and is_verb_phrase(item) and subject.lower() == "you":
        stem = subject  # "you are", "have a plan"
    return f"{stem} {item}" if stem else ""


def quantifier(
    introduction: str, items: Sequence[str], *, consequence: str = "", required: bool = False
) -> Quantifier:
    """How many of the items are required.

    The introduction says it, or the word at the end of an item ("…, and"). Where neither does: what must be is
    all of it; items that each fill the same gap ("if you get:", "Income Support") are alternatives; whole
    conditions are all wanted for what "you" can or must do, and one is enough for what else happens.
    """
    tail = introduction[-160:]
    if _NONE.search(tail):
        return "none"
    last_any = max((match.start() for match in _ANY.finditer(tail)), default=-1)
    last_all = max((match.start() for match in _ALL.finditer(tail)), default=-1)
    if last_any >= 0 or last_all >= 0:
        return "any" if last_any > last_all else "all"
    for item in items[:-1]:
        if ends := _ENDS.search(item):
            return "all" if ends[1].lower() == "and" else "any"
    # What denies each item denies them all: "if you’re not:", "British", "Irish".
    if required or _DENIED.search(tail.rstrip(" :")):
        return "all"
    if len(items) > 1 and len({tuple(item.lower().split()[:3]) for item in items}) == 1:
        return "any"  # "you live in …" three times
    whole = [parse_clause(item) is not None or is_verb_phrase(item) or _begins_finite(item) for item in items]
    demands = sum(whole) * 2 >= len(whole) and len(items) <= _MOST_DEMANDS
    earned = _EARNED.search(consequence) and not _HAPPENS.search(consequence)
    return "all" if demands and earned else "any"


def _begins_finite(item: str) -> bool:
    """ "were a member", "has paid": the subject stands in the introduction."""
    return bare(item.split(maxsplit=1)[0]) in vocabulary().auxiliaries if item.strip() else False

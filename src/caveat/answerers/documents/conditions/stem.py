"""What an introducing sentence says of each item of its list: "You must be one of the following:" → "You must be"."""

from __future__ import annotations

import re

from caveat.answerers.documents.conditions.clause import is_verb_phrase, parse_clause
from caveat.answerers.documents.conditions.conjuncts import split_clauses
from caveat.answerers.documents.conditions.demand import PURPOSE

__all__ = ["QUANTIFIED", "completed", "stem_of"]

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

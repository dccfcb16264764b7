"""Multiple-choice questions as extractive ones: which of them still make sense without their options."""

from __future__ import annotations

import re

__all__ = ["CLOZE", "DEPENDS_ON_OPTIONS", "YES_OR_NO", "is_cloze", "unfit"]

CLOZE = "cloze question"
YES_OR_NO = "yes/no or true/false question"
DEPENDS_ON_OPTIONS = "question depends on its options"

_TIME = "second|minute|hour|day|morning|afternoon|evening|night|week|weekend|month|season|year|decade|century"
_DEPENDENT_QUESTION = re.compile(
    "|".join(
        (
            # "Which of the following …", but not "What happened the following day?"
            rf"\bthe\s+following\b(?!\s+(?:{_TIME}|spring|summer|autumn|fall|winter|centuries)s?\b)",
            r"\bof\s+(?:the\s+(?:above|below|(?:answer\s+)?(?:choices|options)|statements)|these\s+statements)\b",
            r"\b(?:which|what)\s+(?:\w+\s+)?(?:statement|sentence|option|choice)s?\b",
            # "What is true of …?", "Which one is not correct?", "What is the correct order of events?"
            r"\b(?:which|what)\b(?:\s+[\w'’]+){0,3}\s+(?:is|are)\s+(?:not\s+)?(?:the\s+)?"
            r"(?:un)?(?:true|false|(?:in)?correct|wrong)\b",
            r"\bnot\s+(?:true|correct|mentioned|included|stated|discussed|listed)\b",
            # "… all of these except", but not "How many are in the group except him?"
            r"\ball\b.*\bexcept\b|\bexcept(?:\s+for)?[\s.:?_…]*$|\b(?-i:EXCEPT)\b",
            # ProcessBank's, of two events that it names.
            r"\bwhich\s+events?\b.*\b(?:first|last)\b",
            r"\bexamples?\s+of\b.*\b(?:include|includes|is|are)(?:\s+(?:an?|the|a\(n\)))?[\s.:?_…]*$",
            r"\b(?:best|better|good|suitable|appropriate|proper)\s+(?:title|headline|heading)\b",
        )
    ),
    re.IGNORECASE,
)
_DEPENDENT_OPTION = re.compile(
    r"(?:(?:all|none|any|both|neither|either|two|three)\s+of\s+)(?:the\s+)?"
    r"(?:above|below|these|(?:answer\s+)?(?:choices|options)|(?:first\s+)?(?:two|three))\b"
    r"|(?:both\s+)?\(?[a-h]\)?\s*(?:and|or|&|,)\s*\(?[a-h]\)?\W*$"
    r"|(?:all|none|both)\s+are\s+(?:true|correct|right)\b",
    re.IGNORECASE,
)


def is_cloze(question: str) -> bool:
    """Whether the question is a text with a gap, shown as `_`."""
    return "_" in question


def unfit(question: str, right_option: str) -> str | None:
    """Why a multiple-choice question cannot be asked without its options, or None if it can.

    The shared task left such questions out ("Which of the following …", "Examples of … include") but did not
    publish its list; here are those two and their relatives.
    """
    if is_cloze(question):
        return CLOZE
    if right_option.strip(" .!").lower() in ("yes", "no", "true", "false"):
        return YES_OR_NO
    if _DEPENDENT_QUESTION.search(question) or _DEPENDENT_OPTION.match(right_option.strip()):
        return DEPENDS_ON_OPTIONS
    return None

"""Words that make a condition of a clause: if, unless, only if, provided, except, and where they do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caveat.answerers.documents.conditions.clause import parse_clause

__all__ = ["Connective", "connectives"]

_CONNECTIVE = re.compile(
    r"\b(?P<joint>(?:and|or|but)\s+)?(?P<only>only\s+)?(?:"
    r"(?P<unless>(?:not|except|other than|apart from)\s+(?:if|when|where|in cases? where)|unless"
    r"|except(?:\s+for)?)"
    r"|(?P<if>if(?:\s+and\s+only\s+if)?|when(?:ever)?|once|after|provided(?:\s+that)?|providing(?:\s+that)?"
    r"|(?:as|so)\s+long\s+as|on\s+condition\s+that|in\s+cases?\s+where|depending\s+on(?:\s+(?:if|whether))?)"
    r")\b[,:]?\s*",
    re.IGNORECASE,
)
# "even if" is no condition, and what is asked, checked or told with "if" and "when" is a question.
_NOT_AFTER = re.compile(
    r"\b(?:even|as|what|including|(?<!further )check|know|asks?|asked|see|out|sure|unsure|decides?|wonder|confirm"
    r"|shows?|explain|considers?|considering|depends? on|depend|tells? you|told|about|says?|of|and|or|just|the|time"
    r"|date)\s*$",
    re.IGNORECASE,
)
# "if necessary", "if not", "if you’re not sure": nothing that the asker could be asked.
_NOT_BEFORE = re.compile(
    r"to\b|not\b\s*(?:[.,;:)]|$)|so\b|any\b(?! (?:of|one))|necessary|possible|applicable|appropriate|needed|required"
    r"|relevant|again\b|you(?:['’]re| are) (?:not |un)sure",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_CAN = re.compile(r"\bcan\b", re.IGNORECASE)
_PERFECT = re.compile(
    r"[^,;.]{0,60}?(?:['’]s|['’]ve|\bhas|\bhave) (?:been|ended|finished|reached)\b", re.IGNORECASE
)
# How much of what stands before is looked at.
_NEAR = 40


class Connective(NamedTuple):
    """Where a connective stands, whether it excepts ("unless"), has "only" with it, or "and" or "or" before it."""

    start: int
    end: int
    excepts: bool
    only: bool
    joint: str


def connectives(sentence: str, start: int = 0) -> Iterator[Connective]:
    """The connectives of a sentence from `start` on, in order."""
    for match in _CONNECTIVE.finditer(sentence, start):
        if _makes_condition(sentence, match):
            joint = (match["joint"] or "").strip().lower()
            yield Connective(*match.span(), bool(match["unless"]), bool(match["only"]), joint)


def _makes_condition(sentence: str, match: re.Match[str]) -> bool:
    word = (match["if"] or match["unless"]).lower()
    after = sentence[match.end() :]
    near = sentence[max(0, match.start() - _NEAR) : match.start()]
    if _NOT_BEFORE.match(after):
        return False
    if not match["joint"] and _NOT_AFTER.search(near) and not word.startswith(("depending", "unless")):
        return False
    opens_list = sentence.rstrip().endswith(":")
    if word.startswith("when") or word == "once":
        # They mostly tell a time; they restrict under "only", and over a list of cases.
        only = match["only"] or _ONLY.search(sentence, 0, match.start())
        restricts = only or (match.start() > 0 and opens_list)
        return bool(restricts) and (not after or _is_clause(after))
    if word == "after":
        # "You can claim after it has been open for a year", not "after you apply".
        return _CAN.search(sentence, 0, match.start()) is not None and _PERFECT.match(after) is not None
    if word in ("provided", "providing"):
        return _is_clause(after)  # not "provided by the council"
    return bool(after.strip()) or opens_list


def _is_clause(text: str) -> bool:
    return parse_clause(re.split(r"[,;:.()]", text, maxsplit=1)[0]) is not None

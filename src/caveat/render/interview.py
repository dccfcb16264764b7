"""Asking the asker: the open questions of a reply one after the other, the most decisive first, until none is left."""

from __future__ import annotations

import sys
from collections.abc import Callable

from caveat.core.records import Condition, Reply
from caveat.core.settling import question_of
from caveat.language.implied import implied
from caveat.render.terminal_text import clean
from caveat.render.words import words_of

__all__ = ["interview"]

_YES = frozenset(("y", "yes", "是", "有", "对", "true", "1"))
_NO = frozenset(("n", "no", "否", "不", "不是", "没有", "false", "0"))
_UNKNOWN = frozenset(
    ("", "?", "d", "don't know", "dont know", "don’t know", "unknown", "不知道", "不清楚", "？")
)


def interview(reply: Reply, answer_to: Callable[[str], str | None] | None = None) -> Reply:
    """The reply as far as the asker has settled it.

    Questions go to standard error, answers come from standard input; at its end, or at Ctrl-C, the interview ends with
    what it has. What the asker does not know stays open and is not asked again.
    """
    ask = answer_to or _answer_to
    words = words_of(reply.question.spoken)
    unknown: set[str] = set()
    while (condition := _next(reply, unknown)) is not None:
        question = clean(question_of(condition))
        said = ask(f"{question} {words.choices} ")
        while said is not None and said.strip().casefold() not in _YES | _NO | _UNKNOWN:
            said = ask(f"{words.choices_hint} ")
        if said is None:
            break
        plain = said.strip().casefold()
        if plain in _UNKNOWN:
            unknown.add(question_of(condition))
        else:
            reply = _settled(reply, condition, plain in _YES)
    return reply


def _settled(reply: Reply, condition: Condition, yes: bool) -> Reply:
    """The reply once this is answered, and all that follows from it: who is under 18 is not asked if over 60."""
    reply = reply.settle(condition, yes)
    for other in reply.open:
        answer = implied(question_of(condition), yes, question_of(other))
        if answer is not None:
            reply = reply.settle(other, answer)
    return reply


def _next(reply: Reply, unknown: set[str]) -> Condition | None:
    return next((each for each in reply.open if question_of(each) not in unknown), None)


def _answer_to(prompt: str) -> str | None:
    """A line of standard input; None at its end, and at Ctrl-C."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    try:
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        line = ""
    if not line.endswith("\n"):
        sys.stderr.write("\n")
    return line if line else None

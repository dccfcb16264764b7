"""Asking the asker: the open questions of a reply one after the other, the most decisive first, until none is left."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Literal

from caveat.answerers.asking import settle
from caveat.core.answers import Condition
from caveat.core.records import Reply
from caveat.core.settling import question_of
from caveat.render.quotes import clean
from caveat.render.words import words_of

Said = Literal["yes", "no", "unknown"]
VALUES: dict[Said, bool | None] = {"yes": True, "no": False, "unknown": None}

_YES = frozenset(("y", "yes", "是", "有", "对", "true", "1"))
_NO = frozenset(("n", "no", "否", "不", "不是", "没有", "false", "0"))
_UNKNOWN = frozenset(
    ("", "?", "d", "don't know", "dont know", "don’t know", "unknown", "不知道", "不清楚", "？")
)


class Interview:
    """A reply as far as the asker has settled it; what they do not know stays open and is not asked again."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self._unknown: set[str] = set()

    @property
    def open(self) -> tuple[Condition, ...]:
        """What is open and may be known to the asker, the most decisive first."""
        return tuple(each for each in self.reply.open if each.fact not in self._unknown)

    def answer(self, condition: Condition, yes: bool | None) -> None:
        """Settle a condition, and all that follows from it: who is under 18 is not asked if over 60."""
        if yes is None:
            self._unknown.add(condition.fact)
            return
        self.reply = settle(self.reply, {condition: yes})


def understood(said: str) -> Said | None:
    """What a short answer says; None for other words."""
    plain = said.strip().casefold()
    return "yes" if plain in _YES else "no" if plain in _NO else "unknown" if plain in _UNKNOWN else None


def interview(reply: Reply, answer_to: Callable[[str], str | None] | None = None) -> Reply:
    """The reply as far as the asker has settled it.

    Questions go to standard error, answers come from standard input; at its end, or at Ctrl-C, the interview ends with
    what it has.
    """
    ask = answer_to or _answer_to
    words = words_of(reply.question.spoken)
    asking = Interview(reply)
    while asking.open:
        condition = asking.open[0]
        said = ask(f"{clean(question_of(condition))} {words.choices} ")
        while said is not None and understood(said) is None:
            said = ask(f"{words.choices_hint} ")
        if said is None:
            break
        asking.answer(condition, VALUES[understood(said) or "unknown"])
    return asking.reply


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

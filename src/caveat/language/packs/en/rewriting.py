"""English questions without what stands before them: "Could you tell me whether I can apply?" asks "Can I apply?"."""

from __future__ import annotations

import re

from caveat.language.follow_up import inquiry
from caveat.language.packs.en import PACK

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

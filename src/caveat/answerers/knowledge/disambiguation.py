"""Which of several things of one name is meant: the one whose bracketed explanation stands beside the name.

北斗一号望远镜多少钱 is asked of 北斗一号（望远镜）, "the planet Mercury" is Mercury (planet).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from caveat.answerers.knowledge.index.folding import fold
from caveat.answerers.knowledge.index.names import other_names
from caveat.core.script import count_han

__all__ = ["bracketed", "explained"]

# What may stand between a name and its explanation.
_BETWEEN_AFTER = re.compile(r"[》”」』\"')\s（(，,]*(?:(?:这|那)?[部本个首款种位座家所只])?的?\s*(?:the\s)?")
_BETWEEN_BEFORE = re.compile(r"[《“「『\"'（(\s的]*$")
# Fewer characters of an explanation may be there by chance.
_LEAST_HAN, _LEAST_LETTERS, _LONGEST = 2, 4, 12
_BRACKETS = "()[]【】〔〕_ "


def bracketed(entity: str) -> str:
    """What stands in the brackets at the end of an entity's name, with them; "" if there are none."""
    shorter = next(other_names(entity), None)
    return entity[len(shorter) :] if shorter is not None and entity.startswith(shorter) else ""


def explained(entities: Sequence[str], question: str, start: int, end: int) -> Sequence[str]:
    """The entities whose explanations share most with what is beside a name in a folded question; all if none does."""
    between = _BETWEEN_AFTER.match(question, end)
    after = question[between.end() if between else end :][:_LONGEST]
    before = _BETWEEN_BEFORE.sub("", question[:start])[-_LONGEST:]
    shared = [_beside(bracketed(entity), before, after) for entity in entities]
    most = max(shared, default=0)
    return [each for each, count in zip(entities, shared, strict=True) if count == most] if most else entities


def _beside(bracket: str, before: str, after: str) -> int:
    """How many characters right before or right after the name begin or end its bracket, if that is no chance."""
    inside = fold(bracket).text.strip(_BRACKETS)
    least = _LEAST_HAN if count_han(bracket) else _LEAST_LETTERS
    for count in range(min(_LONGEST, len(inside)), least - 1, -1):
        if {inside[:count], inside[-count:]} & {before[-count:], after[:count]}:
            return count
    return 0

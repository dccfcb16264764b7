"""A Chinese condition as a yes/no question to the asker: 累计缴费满1年的 → 是否…？"""

from __future__ import annotations

import re

from caveat.language.follow_up import Inquiry

_LEADING = re.compile(r"^(?:如果|如|若|假如|倘若|只要|只有|除非|当|在)")
_TRAILING = re.compile(r"(?:的话|的情况下|情况下|的时候|时)?[，。；,;.\s]*$")
_PREDICATE = re.compile(
    r"^(?:有|无|没有|是|为|患(?!者|儿)|曾|已|能|会|可|需|属|符合|具|达到|超过|低于|高于|服用|出现|处于|不)"
)


def inquiry(text: str, introduction: str = "") -> Inquiry:
    """The question that settles a Chinese condition."""
    words = _TRAILING.sub("", _LEADING.sub("", " ".join(text.split())))
    for person in ("您", "你"):
        if words.startswith(person) and len(words) > 1:
            return Inquiry(f"{person}是否{words[1:].removeprefix('是')}？")
    if _PREDICATE.match(words):
        return Inquiry(f"是否{words.removeprefix('是')}？")
    return Inquiry(f"以下情况是否属实：{words or text}？")

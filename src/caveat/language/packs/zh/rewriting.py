"""Chinese questions without what stands before them: 我想问一下会费是多少 asks 会费是多少."""

from __future__ import annotations

import re

from caveat.language.packs.zh import PACK

_OPENING = PACK.pattern("opening")
_WH = re.compile(r"(?:什么|怎么|怎样|如何|哪|多少|多久|多长|多大|几|谁|为何|何时)")


def rewritten(text: str) -> tuple[str, str]:
    """Nothing that is told before a question, and the question without its frame."""
    found = _OPENING.match(text)
    if found is None or found.end() == len(text):
        return "", text
    asked = text[found.end() :]
    if _WH.search(asked):
        asked = re.sub(r"吗(?=[？?]?\s*$)", "", asked)
    return "", asked

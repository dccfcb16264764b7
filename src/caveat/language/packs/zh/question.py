"""How Chinese questions are worded: what stands before them, as in 我想问一下会费是多少, and the cues of their kind."""

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


_END = re.compile(r"[\s?？.。!！~～…]+$")
_CLAUSES = re.compile(r"[，,。；;：:？?！!、\s]+")
_LONGEST_RUN = 4


def cues(text: str) -> list[str]:
    """The cues of a text in lower case."""
    whole = f"^{_END.sub('', text)}$"
    found = [
        whole[at : at + length]
        for length in range(1, _LONGEST_RUN + 1)
        for at in range(len(whole) - length + 1)
    ]
    for clause in filter(None, _CLAUSES.split(_END.sub("", text))):
        found += [f"<{clause[:1]}", f"<{clause[:2]}", f"{clause[-1:]}>", f"{clause[-2:]}>"]
    return found

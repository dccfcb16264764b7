"""What of a Chinese question's wording may tell its kind: runs of characters, and how its clauses begin and end."""

from __future__ import annotations

import re

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

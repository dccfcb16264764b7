"""What of an English question's wording may tell its kind: words in a row, and how its clauses begin."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[?]")
_CLAUSES = re.compile(r"[,.;:?!]+|\s[-–—]\s|\b(?:and|but|so|then)\b")
_MOST_WORDS = 3


def cues(text: str) -> list[str]:
    """The cues of a text in lower case."""
    words = ["^", *_WORD.findall(text), "$"]
    found = [
        " ".join(words[at : at + length])
        for length in range(1, _MOST_WORDS + 1)
        for at in range(len(words) - length + 1)
    ]
    for clause in _CLAUSES.split(text):
        first = clause.split()[:_MOST_WORDS]
        found += [f"<{' '.join(first[: count + 1])}" for count in range(len(first))]
    return found

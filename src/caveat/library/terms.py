"""What a text is searched by: words without their endings, numbers, Chinese characters and pairs of them."""

from __future__ import annotations

import re
from itertools import pairwise

from caveat.core.script import HAN
from caveat.language.simplify import simplified_text
from caveat.language.tokens import STOP_TOKENS, tokens

_HAN = re.compile(f"[{HAN}]+")
# Longer ones are pictures in base64 and the like, which nobody asks for.
_LONGEST = 64


def terms(text: str) -> list[str]:
    """The terms of a text, as often as it has them; Traditional and Simplified script have the same."""
    if text.isascii() or not _HAN.search(text):
        return [term[:_LONGEST] for term in tokens(text)]
    text = simplified_text(text)
    found = [term[:_LONGEST] for term in tokens(_HAN.sub(" ", text))]
    for run in _HAN.findall(text):
        found += run
        found += (first + second for first, second in pairwise(run))
    return found


def question_terms(question: str) -> list[str]:
    """The terms that a question is searched with, each once; what every question has is left out, unless it is all."""
    every = list(dict.fromkeys(terms(question)))
    return [term for term in every if term not in STOP_TOKENS] or every

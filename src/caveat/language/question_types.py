"""What a question asks for, told by its question word; the words are in the languages' packs."""

from __future__ import annotations

import re
from functools import cache

from caveat.core.languages import Language, language_of
from caveat.language.packs import packs_beside

# The word that stands first decides. Where two begin at the same place the type listed first wins, so the particular
# ones stand before the general ones: 什么时候 before 什么, "how many" before "how".
_TYPES = ("why", "when", "where", "who", "how long", "how many", "which", "how", "what", "whether")
_NONE = "no question word"

QUESTION_TYPES = (*_TYPES, _NONE)
"""The types; the last is for a bare phrase, such as 治疗手抖的药 or "best soil for roses"."""


def question_type(question: str, language: Language | None = None) -> str:
    """The type of a question, by the words of its language and of those in other scripts."""
    question = " ".join(question.split())
    found = [
        (match.start(), place, name)
        for place, (name, pattern) in enumerate(_patterns(language or language_of(question)))
        if (match := pattern.search(question))
    ]
    return min(found)[2] if found else _NONE


@cache
def _patterns(language: Language) -> tuple[tuple[str, re.Pattern[str]], ...]:
    words = [pack.question_words for pack in packs_beside(language)]
    return tuple(
        (name, re.compile("|".join(each[name] for each in words if name in each), re.IGNORECASE))
        for name in _TYPES
        if any(name in each for each in words)
    )


# 还是 gives a choice; 能 and 能不能 begin alike.
_WHETHER = re.compile(
    "吗|是否|能否|可否|(?P<verb>[是能会有要好行该用可])不(?P=verb)|可不可以|有没有|用不用|需不需要|应不应该"
)
# Asked for in passing: "吗" behind another question word, or one of two things.
_OTHERWISE = re.compile("什么|怎么|怎样|如何|哪|多少|多久|多长|多大|几|谁|为何|何时|还是")


def asks_yes_or_no(question: str) -> bool:
    """Whether a Chinese question asks for yes or no."""
    return _WHETHER.search(question) is not None and _OTHERWISE.search(question) is None

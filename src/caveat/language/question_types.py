"""What a question asks for, told by its question word, in Chinese and English."""

from __future__ import annotations

import re

__all__ = ["QUESTION_TYPES", "asks_yes_or_no", "question_type"]

# The word that stands first decides (哪 in 有哪几种, "can" in "Can I claim what I paid?"). Where two begin at
# the same place the type listed first wins, so the particular words stand before the general ones that they
# begin with: 什么时候 before 什么, "how many" before "how".
_WORDS: tuple[tuple[str, str, str], ...] = (
    ("why", "为什么|为何|为啥|什么原因|什么缘故|怎么回事|咋回事", r"\bwhy\b|\bhow come\b"),
    (
        "when",
        "什么时候|什么时间|啥时候|何时|哪天|哪年|哪一年|哪一天|几点|几月",
        r"\bwhen\b|\bwhat (?:time|year|date|day)\b",
    ),
    ("where", "什么地方|啥地方|哪里|哪儿|哪边|何处|何地", r"\bwhere\b"),
    ("who", "谁|什么人|哪位|何人", r"\bwho(?:m|se)?\b"),
    (
        "how long",
        "多久|多长时间|多少时间|多少天|多少年|几天|几年|几周|几个月|几小时|几个小时",
        r"\bhow (?:long|soon)\b",
    ),
    (
        "how many",
        "多少|多大|多长|多高|多重|多远|多贵|(?<![十好数])几(?![乎何率])",
        r"\bhow (?:many|much|old|far|often|big|large|high|tall|deep|heavy|fast)\b",
    ),
    ("which", "哪", r"\bwhich\b"),
    ("how", "怎么|怎样|如何|咋", r"\bhow\b"),
    ("what", "什么|啥|何种", r"\bwhat\b"),
    (
        "whether",
        "吗|是否|能否|可否|是不是|能不能|可不可以|会不会|有没有|要不要|好不好|行不行|该不该|用不用|还是",
        r"\bwhether\b|(?:^|(?<=[.!?;,] ))(?:is|are|am|was|were|do|does|did|can|could|may|might|must|shall"
        r"|should|will|would|has|have|had)(?:n['’]t)?\b",
    ),
)

_PATTERNS = tuple(
    (name, re.compile(f"{chinese}|{english}", re.IGNORECASE)) for name, chinese, english in _WORDS
)
_NONE = "no question word"

QUESTION_TYPES = (*(name for name, _ in _PATTERNS), _NONE)
"""The types; the last is for a bare phrase, such as 治疗手抖的药 or "best soil for roses"."""


def question_type(question: str) -> str:
    """The type of a question."""
    question = " ".join(question.split())
    found = [
        (match.start(), place, name)
        for place, (name, pattern) in enumerate(_PATTERNS)
        if (match := pattern.search(question))
    ]
    return min(found)[2] if found else _NONE


# 还是 gives a choice; 能 and 能不能 begin alike.
_WHETHER = re.compile(
    "吗|是否|能否|可否|(?P<verb>[是能会有要好行该用可])不(?P=verb)|可不可以|有没有|用不用|需不需要|应不应该"
)
# Asked for in passing: "吗" behind another question word, or one of two things.
_OTHERWISE = re.compile("什么|怎么|怎样|如何|哪|多少|多久|多长|多大|几|谁|为何|何时|还是")


def asks_yes_or_no(question: str) -> bool:
    """Whether a Chinese question asks for yes or no."""
    return _WHETHER.search(question) is not None and _OTHERWISE.search(question) is None

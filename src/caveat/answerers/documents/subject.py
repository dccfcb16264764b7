"""What a question is about, and how much of it a text speaks of."""

from __future__ import annotations

import re

from caveat.core.script import HAN
from caveat.language.stop_words import STOP_WORDS

__all__ = ["spoken_of"]

# What Chinese questions are asked with, whatever they are about.
_ASKING = re.compile(
    r"什么|怎么办|怎么|怎样|如何|哪些|哪个|哪种|哪里|哪|多少|多久|多长时间|几|为何|吗|呢|好|可以|能够|能|会|有|是|的|了|需要"
    r"|应该|应|最|比较|要|吃|用|做|和|与|在|对|种|一般|常见|首选|情况|方法|时间"
    rf"|[^{HAN}]"
)
_WORD = re.compile(rf"[^\W_{HAN}]+")


def spoken_of(question: str, text: str) -> float:
    """The share of what a question is about that the text has: pairs of Chinese characters, words of other scripts.

    1 where nothing is left of the question without the words it is asked with.
    """
    subjects = [part for part in _ASKING.split(question) if part]
    # A single character is in many words of many meanings; it counts where there is nothing else.
    pairs = {part[at : at + 2] for part in subjects for at in range(len(part) - 1)}
    words = {word for word in map(str.casefold, _WORD.findall(question)) if word not in STOP_WORDS}
    asked = pairs if pairs or words else set(subjects)
    if not asked and not words:
        return 1.0
    said = set(map(str.casefold, _WORD.findall(text))) if words else set()
    found = sum(pair in text for pair in asked) + len(words & said)
    return found / (len(asked) + len(words))

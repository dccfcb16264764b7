"""Which script a text is in, and so which language's models and segmentation fit it."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["en", "zh"]

# CJK unified ideographs with extensions A to H, compatibility ideographs, and 〇.
HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HAN = re.compile(f"[{HAN}]")


def is_han(character: str) -> bool:
    """Whether a character is a Chinese ideograph."""
    return _HAN.match(character) is not None


def count_han(text: str) -> int:
    """The number of Chinese ideographs in a text."""
    return len(_HAN.findall(text))


def language_of(text: str) -> Language:
    """ "zh" where Chinese carries the text, else "en".

    An ideograph says about as much as a short word, so it is weighed against Latin words, not letters:
    "NBA的总冠军是谁" is Chinese, "The name 北京 means northern capital" is English.
    """
    han = count_han(text)
    if not han:
        return "en"
    words = len(re.findall(r"[^\W\d_]+", _HAN.sub(" ", text)))
    return "zh" if han >= 2 * words else "en"

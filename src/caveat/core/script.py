"""Which script a text is in, and so which language's models and segmentation fit it."""

from __future__ import annotations

import re

from caveat.core.languages import Language, default_language, registered

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
    """The language whose pack recognises the text, else the default; packs from outside are asked first.

    What is rarer is looked for first: a pack from outside may be for a language in the script of another.
    """
    for pack in reversed([*registered().values()]):
        if pack.recognises is not None and pack.recognises(text):
            return pack.code
    return default_language()

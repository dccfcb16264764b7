"""Chinese, in Simplified and Traditional script."""

from __future__ import annotations

import re

from caveat.core.languages import HAN, count_han
from caveat.language.packs import LanguagePack, words_file

__all__ = ["CHINESE", "PACK"]

CHINESE = "zh"

_HAN = re.compile(f"[{HAN}]")
_WORDS = re.compile(r"[^\W\d_]+")


def recognises(text: str) -> bool:
    """Whether Chinese carries the text.

    An ideograph says about as much as a short word, so it is weighed against Latin words, not letters:
    "NBA的总冠军是谁" is Chinese, "The name 北京 means northern capital" is English.
    """
    han = count_han(text)
    return han > 0 and han >= 2 * len(_WORDS.findall(_HAN.sub(" ", text)))


PACK = LanguagePack(
    **words_file(__name__),
    code=CHINESE,
    name="中文",
    english_name="Chinese",
    script="Han",
    recognises=recognises,
    own_letters=_HAN,
    in_pairs=True,
    question_mark="？",
    conditions="chinese",
    lists=True,
    # The reader's log-odds are spread 1.7 times as wide as the English one's (its card's temperature).
    cues=".question:cues",
    rewriting=".question:rewritten",
    inquiry=".follow_up:inquiry",
    completion=".ellipsis:whole",
)

"""What a text is about: its words without small ones and endings; where nothing parts words, pairs of characters."""

from __future__ import annotations

import re
from functools import cache

from caveat.core.languages import Language
from caveat.core.script import HAN
from caveat.language.packs import pack, packs, packs_beside
from caveat.language.stop_words import STOP_WORDS
from caveat.language.tokens import tokens

_WORD = re.compile(rf"[^\W_{HAN}]+")
# A word's short form leaves out so many characters at most.
_BETWEEN = 2


@cache
def stop_tokens(language: Language) -> frozenset[str]:
    """What says nothing of what a text is about, as `tokens` gives it: "does" as "doe", "only" as "onli"."""
    own = pack(language)
    return frozenset(
        token
        for each in packs_beside(language)
        for word in each.stop_words
        for token in tokens(word, own.stem)
    )


def content_words(text: str, language: Language) -> list[str]:
    """What a text is about, each once and in order: words without their endings, or pairs of characters."""
    own = pack(language)
    if own.in_pairs:
        return pairs_of(text)
    stop = stop_tokens(language)
    return list(dict.fromkeys(word for word in tokens(text, own.stem) if len(word) > 1 and word not in stop))


@cache
def _asking() -> re.Pattern[str]:
    """The words that questions are asked with where nothing parts words, and all that is not such a script."""
    return re.compile("|".join((*(each.asking for each in packs() if each.asking), f"[^{HAN}]")))


def subjects_of(question: str) -> list[str]:
    """The Chinese of a question without the words it is asked with."""
    return [part for part in _asking().split(question) if part]


def pairs_of(question: str) -> list[str]:
    """What a Chinese question is about, each once: pairs of characters, and words of other scripts."""
    pairs, words = _pairs_and_words(question)
    return list(dict.fromkeys((*pairs, *words)))


def long_form(pair: str) -> re.Pattern[str]:
    """What a pair of characters may be short for: 年假 for 年休假."""
    return re.compile(f"{re.escape(pair[0])}[{HAN}]{{1,{_BETWEEN}}}{re.escape(pair[1])}")


def spoken_of(question: str, text: str) -> float:
    """The share of what a question is about that the text has: pairs of Chinese characters, words of other scripts.

    1 where nothing is left of the question without the words it is asked with.
    """
    pairs, words = _pairs_and_words(question)
    if not pairs and not words:
        return 1.0
    said = set(map(str.casefold, _WORD.findall(text))) if words else set()
    found = sum(pair in text for pair in pairs) + len(words.keys() & said)
    return found / (len(pairs) + len(words))


def _pairs_and_words(question: str) -> tuple[dict[str, None], dict[str, None]]:
    """Pairs of Chinese characters, and words of other scripts, each once and in order."""
    subjects = subjects_of(question)
    pairs = dict.fromkeys(part[at : at + 2] for part in subjects for at in range(len(part) - 1))
    words = dict.fromkeys(
        word for word in map(str.casefold, _WORD.findall(question)) if word not in STOP_WORDS
    )
    # A single character is in many words of many meanings; it counts where there is nothing else.
    return pairs if pairs or words else dict.fromkeys(subjects), words

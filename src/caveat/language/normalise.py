"""The normalisations of the published scorers, exactly; metrics and answer matching both stand on them."""

from __future__ import annotations

import re
import string

from caveat.core.cache import cache_short

# SQuAD's normalisation *deletes* ASCII punctuation ("U.S.-based" → "usbased"); other punctuation survives.
_DELETE_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


@cache_short(1 << 15)
def normalise_squad(text: str) -> str:
    """SQuAD, MRQA, ConditionalQA, MultiSpanQA: lower-case, no ASCII punctuation, no articles, single blanks."""
    text = text.lower().translate(_DELETE_ASCII_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", text).split())


def squad_tokens(text: str) -> list[str]:
    """The words that SQuAD's token F1 compares."""
    return normalise_squad(text).split()


# CMRC 2018's list, character by character. Its item "……" is two characters long while the published test
# is per character, so ellipses are never removed; ‘ is not in the list although ’ is.
CMRC_PUNCTUATION = frozenset("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")
# On Chinese text a pattern is about twice as fast as `str.translate`.
_CMRC_PUNCTUATION = re.compile(f"[{re.escape(''.join(sorted(CMRC_PUNCTUATION)))}]+")


def normalise_cmrc(text: str) -> str:
    """CMRC 2018's exact match: lower-case, trimmed, without the listed punctuation; inner blanks stay."""
    return _CMRC_PUNCTUATION.sub("", text.lower().strip())

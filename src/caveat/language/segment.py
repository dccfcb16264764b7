"""Mixed Chinese and English text in segments: ideographs one by one, everything else by words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caveat.core.script import HAN
from caveat.language.normalise import normalise_cmrc
from caveat.language.treebank import treebank_words
from caveat.language.words import Token, words

__all__ = ["cmrc_segments", "runs", "segments_with_offsets"]

# CMRC 2018's ideographs end at U+9FA5; rarer ones are buffered like Latin letters ("㐀㐁" is one segment).
_OTHER = re.compile("([^\u4e00-\u9fa5]+)")

# Chinese and full-width punctuation, which parts words without blanks: NBA、CBA
_WIDE_PUNCTUATION = "\u3001-\u3004\u3008-\u3020\u3030\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_ALONE_OR_RUN = re.compile(rf"[{HAN}{_WIDE_PUNCTUATION}]|[^\s{HAN}{_WIDE_PUNCTUATION}]+")


def cmrc_segments(text: str) -> list[str]:
    """The segments CMRC 2018's F1 compares: its `mixed_segmentation` with punctuation removed.

    The listed punctuation goes first, so that what stands on both sides of it fuses: "10:30" → 1030.
    """
    segments: list[str] = []
    for ideographs, words_between in runs(normalise_cmrc(text)):
        segments += ideographs
        segments += words_between
    return segments


def runs(text: str) -> Iterator[tuple[str, list[str]]]:
    """A text that `normalise_cmrc` has been through, run by run: ideographs, and the words that follow them."""
    at = 0
    for run in _OTHER.finditer(text):
        yield text[at : run.start()], treebank_words(run[0])
        at = run.end()
    yield text[at:], []


def segments_with_offsets(text: str) -> list[Token]:
    """Slices of the text with their offsets: each ideograph, each Chinese mark, and the words between them."""
    segments: list[Token] = []
    for run in _ALONE_OR_RUN.finditer(text):
        piece, start = run[0], run.start()
        if len(piece) == 1:
            segments.append((piece, start))
        else:
            segments += [(word, start + offset) for word, offset in words(piece)]
    return segments

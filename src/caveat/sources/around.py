"""The sentence that a span of a document stands in, for someone who wants to see it there."""

from __future__ import annotations

from bisect import bisect_right

from caveat.core.records import Document
from caveat.language.sentences import sentences
from caveat.sources.outline import element_at

__all__ = ["sentence_around"]

# Sentences are looked for no further away: a text without any may be one of megabytes.
_REACH = 600
_LINE_ENDS = str.maketrans("\r\n\v\f\x85\u2028\u2029", "       ")


def sentence_around(document: Document, start: int, end: int) -> tuple[int, int]:
    """The half-open span of the sentence, or sentences, of an element that `start:end` stands in.

    A line end inside an element is none of a sentence: plain text and Markdown break their lines anywhere.
    """
    first, last = _bounds(document, start)[0], max(end, _bounds(document, max(start, end - 1))[1])
    first, last = max(first, start - _REACH), min(last, end + _REACH)
    found = sentences(document.text[first:last].translate(_LINE_ENDS))
    starts = [first + sentence[0] for sentence in found]
    at, until = bisect_right(starts, start) - 1, bisect_right(starts, max(start, end - 1)) - 1
    if at < 0 or until < 0:
        return start, end
    return starts[at], max(end, first + found[until][1])


def _bounds(document: Document, offset: int) -> tuple[int, int]:
    """The element at an offset, or else the line."""
    index = element_at(document, offset)
    if index is not None:
        return document.elements[index].start, document.elements[index].end
    text = document.text
    line_end = text.find("\n", offset, offset + _REACH)
    return text.rfind("\n", max(0, offset - _REACH), offset) + 1 or max(0, offset - _REACH), (
        line_end if line_end >= 0 else min(len(text), offset + _REACH)
    )

"""What list items begin with where nothing but the text shows them: bullets and numbers, English and Chinese."""

from __future__ import annotations

import re

__all__ = ["after_marker"]

# A dash, star or dot needs a blank behind it, as in "- item"; the other bullets are nothing else.
_MARKER = re.compile(
    r"[-*+·–—o](?=[ \t\u3000])"
    # U+F0A7 and U+F0B7 are the bullets of the fonts Wingdings and Symbol, as PDF files have them.
    r"|[•●○▪■◦‣◆\uf0a7\uf0b7]"
    r"|\d{1,3}(?:[.)](?=[ \t\u3000])|、|．(?!\d))"
    r"|[a-z]\)(?=[ \t])"
    r"|[(（](?:\d{1,3}|[a-z]|[ivx]{1,5}|[一二三四五六七八九十]{1,3})[)）]"
    r"|[一二三四五六七八九十]{1,3}、"
    r"|[①-⑳]"
)


def after_marker(text: str, start: int, end: int) -> int | None:
    """Where the item's own text begins, if what stands at `start` is the marker of a list item."""
    marker = _MARKER.match(text, start, end)
    if marker is None:
        return None
    at = marker.end()
    while at < end and text[at].isspace():
        at += 1
    return at if at < end else None

"""Markup without what makes parsers slow: nesting beyond any page's, elements of thousands of attributes.

A parser looks through the elements that are open for every tag, and through the attributes of an element for every one
of them: a page of either would take time with the square of its length.
"""

from __future__ import annotations

import re

from caveat.core.limits import current_limits

__all__ = ["tamed"]

# Elements that stay open until they are closed; a paragraph, item or cell ends where the next one begins.
_NESTING = (
    "a|abbr|address|article|aside|b|big|blockquote|button|center|code|del|details|dir|div|dl|em|fieldset|figure|font|"
    "footer|form|header|i|ins|label|main|menu|nav|ol|pre|s|section|small|span|strike|strong|sub|summary|sup|table|tt|u|"
    "ul"
)
_TAG = re.compile(rf"<(/?)({_NESTING})(?=[\s/>])[^<>]*>?", re.IGNORECASE)
# Nobody writes longer tags, but for pictures in attributes: those are few.
_LONG_TAG = re.compile(r"<[a-zA-Z][\w:-]*(?P<attributes>[^<>]{4000,})")
_MOST_ATTRIBUTES = 500


def tamed(markup: str) -> tuple[str, str]:
    """The markup, and what was left out of it: tags only, never text."""
    left_out: list[str] = []
    short = _LONG_TAG.sub(_without_attributes, markup)
    if len(short) < len(markup):
        left_out.append(f"elements with more than {_MOST_ATTRIBUTES} attributes were read without them")
    deepest = current_limits().nesting
    if _depth(short) > deepest:
        short = _flattened(short, deepest)
        left_out.append(f"elements inside of more than {deepest:,} others were read as if beside them")
    return short, "; ".join(left_out)


def _without_attributes(tag: re.Match[str]) -> str:
    many = (
        tag["attributes"].count("=") > _MOST_ATTRIBUTES or len(tag["attributes"].split()) > _MOST_ATTRIBUTES
    )
    return tag[0][: tag.start("attributes") - tag.start()] if many else tag[0]


def _depth(markup: str) -> int:
    depth = deepest = 0
    for tag in _TAG.finditer(markup):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _flattened(markup: str, deepest: int) -> str:
    """Without the tags that open what is too deep, and those that close it."""
    kept: list[str] = []
    at = depth = 0
    for tag in _TAG.finditer(markup):
        before = depth
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if max(before, depth) > deepest:
            kept += (markup[at : tag.start()], " ")
            at = tag.end()
    kept.append(markup[at:])
    return "".join(kept)

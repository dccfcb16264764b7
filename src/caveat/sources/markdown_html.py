"""What stands in Markdown and is not Markdown: HTML, and the templates of site generators. Which spans are text?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from caveat.sources.html_tags import BLOCK_TAGS, HEADINGS, NEVER_SHOWN
from caveat.sources.plain_text import trimmed

__all__ = ["html_texts", "without_markup"]

_TAG = r"</?[a-zA-Z][\w-]*(?:\s[^<>]*)?/?>"
_COMMENT = r"<!--(?:[^-]|-(?!->))*+-->"
# Statements, values, attributes of a block.
_STATEMENT, _VALUE, _ATTRIBUTES = r"\{%[^{}]*%\}", r"\{\{[^{}]*\}\}", r"\{:[^{}]*\}"
# The lines before and after a box, such as `::: tip`.
_BOX = r":{3,}[ \t]*[\w-]*[ \t]*"
_MARKUP_LINE = re.compile(
    rf"[ \t]*(?:(?:(?:{_TAG}|{_COMMENT}|{_STATEMENT}|{_VALUE}|{_ATTRIBUTES})[ \t]*)++|{_BOX})(?:[\r\n]\s*|\Z)"
)
# What shows nothing of its own wherever it stands.
_SILENT = re.compile(rf"(?:(?:{_COMMENT}|{_STATEMENT}|<(?:img|br|hr)\b[^<>]*>|<a\s[^<>]*></a>)\s*)+")
_LAST_STATEMENT = re.compile(_STATEMENT)

_MARK_OF_HTML = re.compile(
    r"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)|<[!?][^<>]*>|<(/?)([a-zA-Z][\w-]*)((?:\s[^<>]*)?)/?>"
)
# What is between these tags is no text.
_WITHOUT_TEXT = frozenset(("script", "style", "template", "svg"))
_INLINE_TAGS_BEFORE = re.compile(r"(?:<[^<>]*>\s*)+")
_INLINE_TAGS_AFTER = re.compile(r"([^<]*[^<\s])\s*(?:<[^<>]*>\s*)+")


def without_markup(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the lines at its ends that are tags and templates only, and without silent marks beside them.

    What stands inside of the text stays, since a span has no holes.
    """
    start, end = trimmed(text, start, end)
    while start < end and text[start] in "<{:" and (found := _MARKUP_LINE.match(text, start, end)):
        start = found.end()
    while start < end and text[end - 1] in ">}:":
        line = end
        while (
            line > start and text[line - 1] not in "\r\n"
        ):  # a search might go on to the beginning every time
            line -= 1
        if line <= start or not _MARKUP_LINE.fullmatch(text, line, end):
            break
        end = _before_blanks(text, start, line)
    if start < end and text[start] in "<{" and (found := _SILENT.match(text, start, end)):
        start = found.end()
    if start < end and text[end - 1] == "}":
        statement = text.rfind("{%", start, end)
        if statement >= 0 and _LAST_STATEMENT.fullmatch(text, statement, end):
            end = statement
    return trimmed(text, start, end)


def _before_blanks(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def html_texts(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """The texts in a block of HTML, each with the tag of its element: h1 to h4, li or p.

    A text ends at a tag that stands on a line of its own in a browser, or that has attributes.
    """
    tag, hidden = "p", ""
    with_attributes: set[str] = set()
    for mark in _MARK_OF_HTML.finditer(text, start, end):
        closes, name = bool(mark[1]), (mark[2] or "").lower()
        if hidden:
            if closes and name == hidden:
                start, hidden = mark.end(), ""
            continue
        if (mark[3] or "").strip(" /\t\r\n"):
            with_attributes.add(name)
        if name and name not in BLOCK_TAGS and name not in with_attributes and name not in NEVER_SHOWN:
            continue
        yield tag, *_between(text, start, mark.start())
        start = mark.end()
        if name in HEADINGS or name == "li":
            tag = "p" if closes else HEADINGS.get(name, name)
        if name in _WITHOUT_TEXT and not closes:
            hidden = name
    if not hidden:
        yield tag, *_between(text, start, end)


def _between(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the inline tags around it; empty where it has no letter and no figure."""
    start, end = trimmed(text, start, end)
    if before := _INLINE_TAGS_BEFORE.match(text, start, end):
        start = before.end()
    if after := _INLINE_TAGS_AFTER.fullmatch(text, start, end):
        end = after.end(1)
    start, end = without_markup(text, start, end)
    return (start, end) if any(map(str.isalnum, text[start:end])) else (start, start)

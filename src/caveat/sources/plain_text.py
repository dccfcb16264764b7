"""Plain text as a document: its lines, its paragraphs and list items, where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caveat.core.languages import count_han, is_han
from caveat.core.limits import checkpoint
from caveat.core.records import Document, Element
from caveat.language.numbers import parse_number

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_TAB = 4
# No item is indented further; a page on one line may have thousands of elements in it.
_FARTHEST = 1000
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
# An article of a Chinese law or contract begins so; in running text no blank follows: "依照第九条的规定".
_ARTICLE = re.compile(
    r"第[一二三四五六七八九十百千〇零\d]{1,9}条(?:之[一二三四五六七八九十]{1,3})?[ \t\u3000]"
)
# The number of an item, by the marks around it: "（一）", "(1)", "1.", "1、", "一、", "①".
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_NUMBER = re.compile(
    r"(?P<before>[(（]?)(?P<number>\d{1,3}|[一二三四五六七八九十]{1,3}|[①-⑳])(?P<after>[)）.．、]?)"
)
Span = tuple[int, int]
# Nobody breaks lines at fewer columns than this, and no editor at more; an ideograph takes two.
_NARROWEST, _WIDEST = 40, 120


def line_spans(text: str) -> Iterator[tuple[int, int]]:
    """The half-open spans of the lines, without LF, CRLF or CR."""
    at = 0
    while at < len(text):
        line = _LINE.match(text, at)
        if line is None:
            return
        checkpoint()
        yield line.span(1)
        at = line.end()


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without blanks at its ends; empty where there is nothing else."""
    piece = text[start:end]
    end = start + len(piece.rstrip())
    return min(start + len(piece) - len(piece.lstrip()), end), end


def indent_of(text: str, start: int) -> int:
    """The columns of blank before the first mark of the line that has `start` in it; a tab counts as four."""
    line = _line_before(text, start)
    if line is None:
        return 0
    columns = 0
    for character in text[line:start]:
        if not character.isspace():
            break
        columns += _TAB if character == "\t" else 1
    return columns


def _line_before(text: str, start: int) -> int | None:
    """Where the line begins that has `start` in it; None where that is so far away that nothing there belongs to it."""
    # Step by step: elements begin near the beginning of their line, and a search might go on to the text's.
    for line in range(start, max(-1, start - _FARTHEST), -1):
        if not line or text[line - 1] in "\r\n":
            return line
    return None


def after_marker(text: str, start: int, end: int) -> int | None:
    """Where the item's own text begins, if what stands at `start` is the marker of a list item."""
    marker = _MARKER.match(text, start, end)
    if marker is None:
        return None
    at = marker.end()
    while at < end and text[at].isspace():
        at += 1
    return at if at < end else None


def begins_article(text: str, start: int, end: int) -> bool:
    """Whether an article begins at `start`, as in "第十四条 职工有下列情形之一的"."""
    return _ARTICLE.match(text, start, end) is not None


def numbered_at(text: str, start: int) -> tuple[str, int] | None:
    """How the list item whose own text begins at `start` is numbered: the style of its number, and the number.

    Items of one list are numbered in one style; None where no number stands before the item.
    """
    line = _line_before(text, start)
    found = _NUMBER.fullmatch(text[line:start].strip()) if line is not None else None
    if found is None:
        return None
    number = found["number"]
    if number in _CIRCLED:
        style, value = "①", float(_CIRCLED.index(number) + 1)
    else:
        style, value = "1" if number.isdecimal() else "一", parse_number(number) or 0.0
    return ("(" if found["before"] else "") + style, int(value)


def parse_plain_text(text: str) -> Document:
    """The text unchanged, with its paragraphs (p) and list items (li).

    Paragraphs are parted by blank lines, and an article of a Chinese law begins one of its own. Where lines follow
    each other without one, they are a paragraph that was broken into lines if each line was full, and else a paragraph
    each.
    """
    elements: list[Element] = []
    for lines in _blocks(text):
        for tag, group in _groups(text, lines):
            spans = [(group[0][0], group[-1][1])] if _is_one(text, tag, group) else group
            for index, (start, end) in enumerate(spans):
                elements.append(Element(tag if index == 0 else "p", text[start:end], start, end))
    return Document(text, elements=tuple(elements))


def _blocks(text: str) -> Iterator[list[Span]]:
    """Lines without a blank one between them, each without its blanks around."""
    block: list[Span] = []
    for line in line_spans(text):
        start, end = trimmed(text, *line)
        if start < end:
            block.append((start, end))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _groups(text: str, lines: list[Span]) -> Iterator[tuple[str, list[Span]]]:
    """A block's lines, parted where a list item begins; an item's first line begins behind its marker."""
    tag, group = "p", list[Span]()
    for start, end in lines:
        item = after_marker(text, start, end)
        if item is not None or begins_article(text, start, end):
            if group:
                yield tag, group
            tag, group = "p" if item is None else "li", []
        group.append((start if item is None else item, end))
    yield tag, group


def _is_one(text: str, tag: str, lines: list[Span]) -> bool:
    """Whether the lines are one paragraph or one item."""
    if len(lines) == 1:
        return True
    if tag == "li":
        marker = indent_of(text, lines[0][0])
        if all(indent_of(text, start) > marker for start, _ in lines[1:]):
            return True
    widths = [_columns(text[start:end]) for start, end in lines]
    width = max(widths)
    if not _NARROWEST <= width <= _WIDEST:
        return False
    return all(
        before + _columns(_first_word(text, *line)) >= width
        for before, line in zip(widths, lines[1:], strict=False)
    )


def _first_word(text: str, start: int, end: int) -> str:
    """What would have had to fit on the line before: a word with its blank, or an ideograph and a mark."""
    if is_han(text[start]):
        return text[start : start + 2]
    return text[start:end].split(maxsplit=1)[0] + " "


def _columns(text: str) -> int:
    return len(text) if text.isascii() else len(text) + count_han(text)

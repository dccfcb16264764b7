"""The lines of a PDF as headings, paragraphs, list items and tables.

A PDF says where letters stand, not what they are. Lines are one paragraph as long as they are full, keep their distance
and their font; what is set larger or bolder than the text is a heading, of the level that the outline gives it, or else
that its size has among the headings. Paragraphs go on over columns and pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from caveat.core.languages import HAN
from caveat.sources.grid import RawTable
from caveat.sources.outline import Block
from caveat.sources.pdf_layout import Line, Region, furniture_of, regions_of
from caveat.sources.pdf_tables import LEADER, tables_of
from caveat.sources.pdf_text import BROKEN, PageText
from caveat.sources.plain_text import after_marker, begins_article

_WIDE = re.compile(rf"[{HAN}\u3001-\u303f\uff00-\uff65]")
_WORD = re.compile(r"[^\W\d_]+")
_BROKEN_WORD = re.compile(rf"([^\W\d_]*){BROKEN}([^\W\d_]*)")
_HYPHENATED = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_MANY_WORDS = 1000
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_SENTENCE_END = re.compile(r"[.!?。！？:：;；…][\"'”’)\]）」』]*\Z")
_CONTENTS_LINE = re.compile(rf"(?:{LEADER.pattern})\s*(?:\d{{1,4}}|[ivxlc]{{1,6}})?\s*\Z", re.IGNORECASE)
_CAPTION = re.compile(r"(?:table|tab\.|表)\s*[\dA-Z一二三四五六七八九十]", re.IGNORECASE)
_BULLET = re.compile(r"[-*+·–—o•●○▪■◦‣◆\uf0a7\uf0b7]")
# Distances between lines that begin a paragraph, by the usual one; indents, by the size of the letters.
_FAR, _INDENT = 1.35, 0.8
_SAME_SIZE = 0.08
# A heading is larger than the text by this, or bold; no longer than so many letters and lines.
_LARGER = 1.08
_LONGEST_HEADING, _LONGEST_BOLD, _MOST_LINES = 200, 120, 3
_LOWEST_LEVEL = 4
# Smaller than the text by this: notes.
_SMALLER = 0.93


class Entry(NamedTuple):
    """An entry of the outline that a PDF has: its title, how deep it stands, its page, counting from 1."""

    title: str
    depth: int
    page: int


class Found(NamedTuple):
    """What a PDF holds: blocks in reading order, and tables."""

    blocks: list[Block]
    tables: list[RawTable]


class _Paragraph(NamedTuple):
    """Lines that belong together, on a page; rows of a table have their cells."""

    page: int
    lines: tuple[Line, ...]
    tag: str = "p"
    marker: str = ""
    text: str = ""
    depth: int = 0
    turns: tuple[tuple[int, int], ...] = ()

    @property
    def style(self) -> tuple[float, bool]:
        """The size and whether all is bold."""
        sizes = Counter[float]()
        for line in self.lines:
            sizes[line.size] += len(line.text)
        return (sizes.most_common(1)[0][0] if sizes else 0.0), all(line.bold for line in self.lines)


def blocks_of_pages(pages: Sequence[PageText], outline: Sequence[Entry] = (), name: str = "") -> Found:
    """The blocks and tables of pages; `name` is what tables without a heading are called."""
    laid_out = [(page, regions_of(page)) for page in pages]
    furniture = furniture_of(
        [(page.height, [line for region in regions for line in region]) for page, regions in laid_out]
    )
    titles = frozenset(key for entry in outline for key in _keys(entry.title))
    kept = [
        [
            [
                line
                for line in region
                if (number, line.left, line.top) not in furniture and not _is_contents(line, titles)
            ]
            for region in regions
        ]
        for number, (_, regions) in enumerate(laid_out)
    ]
    body = _body_size(line for regions in kept for region in regions for line in region)
    paragraphs: list[_Paragraph] = []
    tables: list[tuple[int, list[list[str]]]] = []
    for number, (page, regions) in enumerate(zip(pages, kept, strict=True), 1):
        for region in filter(None, regions):
            _read_region(region, page, number, body, paragraphs, tables)
    paragraphs, tables = _with_headings(paragraphs, tables, body, outline)
    words = _vocabulary(paragraphs)
    blocks = [block for paragraph in paragraphs if (block := _block(paragraph, words)) is not None]
    return Found(blocks, _named_tables(paragraphs, tables, name, words))


def _is_contents(line: Line, titles: frozenset[str]) -> bool:
    """Whether a line is of a table of contents: dots lead from a title to its page, or a page follows such a title."""
    text = line.text
    if _CONTENTS_LINE.search(text):
        return True
    title, _, number = text.rpartition(" ")
    return (
        number.isdecimal() and len(number) < 5 and bool(title) and any(key in titles for key in _keys(title))
    )


def _body_size(lines: object) -> float:
    sizes = Counter[float]()
    for line in lines:  # type: ignore[attr-defined]
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _read_region(
    region: Region,
    page: PageText,
    number: int,
    body: float,
    paragraphs: list[_Paragraph],
    tables: list[tuple[int, list[list[str]]]],
) -> None:
    at = 0
    width = _usual_right(region)
    for table in (*tables_of(region, page.rules), None):
        last = table.first if table is not None else len(region)
        for paragraph in _paragraphs(region[at:last], number, width):
            _append(paragraphs, paragraph, body)
        if table is not None:
            tables.append((len(paragraphs), table.rows))
            lines = tuple(region[table.first : table.last])
            paragraphs += (
                _Paragraph(number, lines, "tr", text=" | ".join(row)) for row in table.rows if any(row)
            )
            at = table.last


def _append(paragraphs: list[_Paragraph], paragraph: _Paragraph, body: float) -> None:
    """Add a paragraph, or go on with one of the column or page before."""
    before = len(paragraphs) - 1
    size, bold = paragraph.style
    # Notes at the foot of a page stand between.
    while (
        before >= 0
        and paragraphs[before].tag != "tr"
        and paragraphs[before].style[0] < _SMALLER * body <= size
    ):
        before -= 1
    if before < 0 or paragraph.tag != "p":
        paragraphs.append(paragraph)
        return
    last = paragraphs[before]
    is_new_place = last.page != paragraph.page or last.lines[-1].top > paragraph.lines[0].top
    first = paragraph.text[0]
    goes_on = (
        is_new_place
        and last.tag in ("p", "li")
        and paragraph.page - last.page <= 1
        and _is_same_size(last.style[0], size)
        and last.style[1] == bold
        and not paragraph.lines[0].fixed
        and not _SENTENCE_END.search(last.text)
        and (
            first.islower() or _WIDE.match(first) is not None or last.text.endswith((BROKEN, ",", "，", "、"))
        )
        and len(last.text) > 20
    )
    if not goes_on:
        paragraphs.append(paragraph)
        return
    text = _joined(last.text, paragraph.text)
    turns = last.turns
    if last.page != paragraph.page:
        turns = (*turns, (len(text) - len(paragraph.text), paragraph.page))
    paragraphs[before] = last._replace(
        text=text, turns=turns, lines=last.lines + paragraph.lines, page=last.page
    )


def _is_same_size(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME_SIZE * max(one, other)


def _usual_right(lines: Sequence[Line]) -> float:
    rights = sorted(line.right for line in lines)
    return rights[len(rights) * 9 // 10]


def _paragraphs(lines: Sequence[Line], page: int, right: float) -> list[_Paragraph]:
    found: list[_Paragraph] = []
    markers: list[float] = []
    for group in _groups(lines):
        start = group[0].left
        for part in _parts(group, right):
            paragraph = _paragraph(part, page)
            if paragraph.tag == "li":
                # Items further to the right stand inside of those before.
                start = part[0].left
                while markers and markers[-1] > start + 0.5 * part[0].size:
                    markers.pop()
                if not markers or start > markers[-1] + 0.5 * part[0].size:
                    markers.append(start)
                paragraph = paragraph._replace(depth=len(markers) - 1)
            elif not (markers and part[0].left > markers[-1] + 0.5 * part[0].size):
                markers.clear()
            if paragraph.text:
                found.append(paragraph)
    return found


def _groups(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines of one style that keep their distance."""
    pitches = [
        after.bottom - before.bottom
        for before, after in pairwise(lines)
        if _is_same_size(before.size, after.size) and 0 < after.bottom - before.bottom < 3 * before.size
    ]
    usual = median(pitches) if pitches else 0.0
    groups: list[list[Line]] = []
    for line in lines:
        before = groups[-1][-1] if groups else None
        if (
            before is not None
            and _is_same_size(before.size, line.size)
            and before.bold == line.bold
            and before.fixed == line.fixed
            and 0 < line.bottom - before.bottom <= _FAR * max(min(usual, 1.9 * line.size), 1.1 * line.size)
        ):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _parts(group: list[Line], right: float) -> list[list[Line]]:
    """A group of lines as paragraphs and items."""
    if group[0].fixed:
        return [group]
    widest = max(line.right for line in group)
    left = min(line.left for line in group)
    # A few short lines are no narrower column.
    if len(group) < 4 and widest - left < 0.7 * (right - left):
        widest = right
    parts: list[list[Line]] = [[group[0]]]
    item = _item_of(group[0])
    for before, line in pairwise(group):
        begins = _item_of(line)
        if begins is not None and _is_in_sentence(before, line, begins, widest):
            begins = None
        if begins is not None or begins_article(line.text, 0, len(line.text)):
            is_new = True
        elif item is not None:
            hangs = len(parts[-1]) > 1 and before.left > parts[-1][0].left + 1
            is_new = (hangs and line.left <= parts[-1][0].left + 1) or _is_over(before, line, widest)
        else:
            is_new = _is_indented(parts[-1], line) or _is_over(before, line, widest)
        if is_new:
            parts.append([line])
            item = begins
        else:
            parts[-1].append(line)
    return parts


def _item_of(line: Line) -> int | None:
    """Where the text of a list item begins, if one begins with the line."""
    text = line.text
    item = after_marker(text, 0, len(text))
    return None if item is None or text[item] in ",.;:)" else item


def _is_in_sentence(before: Line, line: Line, item: int, widest: float) -> bool:
    """Whether what looks like the number of an item stands in a sentence: "under paragraph" and "(b) of this rule"."""
    if _BULLET.match(line.text) or _is_short(before, line, widest):
        return False
    ended = _SENTENCE_END.search(before.text) or before.text.endswith(
        (",", "，", "、", " and", " or", "和", "或")
    )
    return not ended and (line.text[item].islower() or line.left <= before.left + 1)


def _is_short(before: Line, line: Line, widest: float) -> bool:
    """Whether the first word of a line would have had place in the line before."""
    text = line.text
    letters = len(text.split(" ", 1)[0]) if not _WIDE.match(text) else 1
    share = (line.right - line.left) / max(len(text), 1)
    return before.right + (letters + 1) * share < widest - 0.5 * line.size


def _is_over(before: Line, line: Line, widest: float) -> bool:
    """Whether a paragraph ends with the line before: it is short, and a sentence does not go on after it."""
    if not _is_short(before, line, widest):
        return False
    begins_small = line.text[0].islower()
    return not (begins_small and not _SENTENCE_END.search(before.text))


def _is_indented(part: list[Line], line: Line) -> bool:
    """Whether a line is set in as the first of a paragraph is."""
    if len(part) > 1:
        usual = min(each.left for each in part[1:])
    elif part[0].left > line.left + 0.3 * line.size:
        return False
    else:
        usual = part[0].left
    return line.left > usual + _INDENT * line.size and not line.text[0].islower()


def _paragraph(part: list[Line], page: int) -> _Paragraph:
    if part[0].fixed:
        text = "\n".join(line.text for line in part)
        return _Paragraph(page, tuple(part), text=text)
    item = _item_of(part[0])
    text = part[0].text
    marker = text[: item or 0]
    text = text[item or 0 :]
    for line in part[1:]:
        text = _joined(text, line.text)
    if item is None:
        return _Paragraph(page, tuple(part), text=text)
    return _Paragraph(page, tuple(part), "li", "" if _BULLET.match(marker) else marker, text)


def _joined(before: str, after: str) -> str:
    """Two lines as one text: a blank between them, but none between Chinese characters or parts of a word."""
    if before.endswith(BROKEN) or (_WIDE.match(before[-1:]) and _WIDE.match(after[:1])):
        return before + after
    return f"{before} {after}"


def _with_headings(
    paragraphs: list[_Paragraph],
    tables: list[tuple[int, list[list[str]]]],
    body: float,
    outline: Sequence[Entry],
) -> tuple[list[_Paragraph], list[tuple[int, list[list[str]]]]]:
    """The paragraphs with those that are headings as such."""
    outlined = _outlined(paragraphs, outline)
    heads = [
        index
        for index, paragraph in enumerate(paragraphs)
        if index in outlined or _is_heading(paragraphs, index, body)
    ]
    pages: dict[tuple[float, bool], set[int]] = {}
    for index in heads:
        pages.setdefault(_rounded(paragraphs[index].style), set()).add(paragraphs[index].page)
    styles = sorted(pages, reverse=True)
    # What is set larger on one page only is of a title page.
    counted = [style for style in styles if len(pages[style]) > 1] or styles
    levels = {style: min(1 + sum(each > style for each in counted), _LOWEST_LEVEL) for style in styles}
    if 3 * len(outlined) >= len(heads) and len(outlined) > 2:
        told: dict[tuple[float, bool], Counter[int]] = {}
        for index, level in outlined.items():
            told.setdefault(_rounded(paragraphs[index].style), Counter())[level] += 1
        usual = {style: levels_.most_common(1)[0][0] for style, levels_ in told.items()}
        deepest = min(max(usual.values()) + 1, _LOWEST_LEVEL)
        levels = {
            style: usual.get(style)
            or min((level for other, level in usual.items() if other < style), default=deepest)
            for style in styles
        }
    headed = list(paragraphs)
    for index in heads:
        paragraph = paragraphs[index]
        level = outlined.get(index) or levels[_rounded(paragraph.style)]
        headed[index] = paragraph._replace(
            tag=f"h{level}", marker="", depth=0, text=(paragraph.marker + paragraph.text).strip()
        )
    return headed, tables


def _rounded(style: tuple[float, bool]) -> tuple[float, bool]:
    return round(style[0] * 2) / 2, style[1]


def _is_heading(paragraphs: list[_Paragraph], index: int, body: float) -> bool:
    paragraph = paragraphs[index]
    text = paragraph.text
    if paragraph.tag == "tr" or len(paragraph.lines) > _MOST_LINES or not _WORD.search(text):
        return False
    if len(text) > _LONGEST_HEADING or len({line.size for line in paragraph.lines}) > 1 or paragraph.turns:
        return False
    size, bold = paragraph.style
    if paragraph.lines[0].fixed:
        return False
    if size >= _LARGER * body and size >= body + 0.5:
        return not text.endswith((",", "，"))
    if not bold or size < (1 - _SAME_SIZE) * body or len(text) > _LONGEST_BOLD:
        return False
    if text.endswith((".", "。", ",", "，", ";", "；")) or (paragraph.tag == "li" and not paragraph.marker):
        return False
    after = paragraphs[index + 1] if index + 1 < len(paragraphs) else None
    return after is not None and after.tag != "tr" and not after.style[1]


def _outlined(paragraphs: list[_Paragraph], outline: Sequence[Entry]) -> dict[int, int]:
    """The paragraphs that the outline names, by their index, and the level of each."""
    if not outline:
        return {}
    places: dict[tuple[int, str], int] = {}
    for index, paragraph in enumerate(paragraphs):
        if paragraph.tag != "tr" and len(paragraph.lines) <= _MOST_LINES and not paragraph.turns:
            for key in _keys(paragraph.marker + paragraph.text):
                places.setdefault((paragraph.page, key), index)
    found: dict[int, int] = {}
    for entry in outline:
        for key in _keys(entry.title):
            if (at := places.get((entry.page, key))) is not None:
                found.setdefault(at, min(entry.depth + 1, _LOWEST_LEVEL))
                break
    return found


_NUMBERING = re.compile(
    r"(?:chapter|section|appendix|part|第)?[\d.ivxlcA-Z]{0,8}(?:章|节|[.:)]|\s)", re.IGNORECASE
)


def _keys(title: str) -> list[str]:
    """A title by its letters, with and without its number."""
    whole = "".join(filter(str.isalnum, title.casefold()))
    bare = (
        "".join(filter(str.isalnum, _NUMBERING.sub("", title, count=1).casefold()))
        if title[:1].strip()
        else ""
    )
    return [key for key in dict.fromkeys((whole, bare)) if len(key) > 1]


def _vocabulary(paragraphs: list[_Paragraph]) -> frozenset[str]:
    """The words of a document, those with a hyphen too, but none that a line end broke."""
    words: set[str] = set()
    for paragraph in paragraphs:
        text = _BROKEN_WORD.sub(" ", paragraph.text).lower()
        words.update(_WORD.findall(text))
        words.update(_HYPHENATED.findall(text))
    return frozenset(words)


def _mended(text: str, words: frozenset[str]) -> str:
    """The text without control characters and broken words.

    A broken word is joined without its hyphen if it stands whole elsewhere, or if the document has many words and one
    of the parts is none of them: "bene" is no word, "well" and "known" are.
    """
    if BROKEN not in text:
        return _CONTROL.sub("", text).strip()

    def joined(word: re.Match[str]) -> str:
        first, second = word[1].lower(), word[2].lower()
        if not first or not second:
            return f"{word[1]}-{word[2]}"
        whole = first + second in words
        if not whole and len(words) >= _MANY_WORDS and f"{first}-{second}" not in words and word[2].islower():
            whole = first not in words or second not in words
        return word[1] + word[2] if whole else f"{word[1]}-{word[2]}"

    return _CONTROL.sub("", _BROKEN_WORD.sub(joined, text)).strip()


def _block(paragraph: _Paragraph, words: frozenset[str]) -> Block | None:
    text = _mended(paragraph.text, words)
    if not text:
        return None
    turns = tuple((len(_mended(paragraph.text[:at] + "x", words)) - 1, page) for at, page in paragraph.turns)
    return Block(paragraph.tag, paragraph.depth, text, paragraph.marker, paragraph.page, turns)


def _named_tables(
    paragraphs: list[_Paragraph],
    tables: list[tuple[int, list[list[str]]]],
    name: str,
    words: frozenset[str],
) -> list[RawTable]:
    """The tables, each called after the caption beside it, or the heading over it."""
    raw: list[RawTable] = []
    for at, rows in tables:
        caption = ""
        after = at + sum(any(row) for row in rows)
        for index in (at - 1, after):
            if 0 <= index < len(paragraphs) and _CAPTION.match(paragraphs[index].text):
                caption = paragraphs[index].text
                break
        else:
            caption = next((each.text for each in reversed(paragraphs[:at]) if each.tag[0] == "h"), name)
        cells = [[_mended(cell, words) for cell in row] for row in rows]
        raw.append(RawTable(_mended(caption, words), cells))
    return raw

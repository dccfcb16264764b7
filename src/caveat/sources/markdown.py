"""Markdown as a document: the file's own text, and the spans of it that are headings, paragraphs, items and rows.

markdown-it parts the text into blocks; the lines of its tokens give the spans. Marks inside a line, such as **bold**,
stay as they are, since the text is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from markdown_it.token import Token

from caveat.core.records import Document, Element
from caveat.sources.grid import RawTable
from caveat.sources.html_tags import HEADINGS
from caveat.sources.markdown_blocks import Environment, block_tokens, shown_text
from caveat.sources.markdown_html import html_texts, without_markup
from caveat.sources.plain_text import after_marker, begins_article, line_spans, trimmed

__all__ = ["parse_markdown", "read_markdown"]

_FRONT_MATTER: dict[str, tuple[str, ...]] = {"---": ("---", "..."), "+++": ("+++",)}
_TITLE = re.compile(r"title[ \t]*[:=][ \t]*(.+)")
_TASK_OR_FOOTNOTE = re.compile(r"\[[ xX]\][ \t]+|\[\^[^\]\s]{1,100}\]:[ \t]*")
# Numbers that are no list of Markdown's, and yet are one: "（一）", "1、", "①".
_NUMBER_OF_ITEM = re.compile(r"[（(①-⑳]|\d{1,3}[、．]|[一二三四五六七八九十]{1,3}、")

_BAR = re.compile(r"(?<!\\)\|")
_HAS_MARKS = re.compile(r"[\\`*_~\[\]<&]")
# A longer cell stays as it is: how long its marks take to read may grow with the square of it.
_LONGEST_READ = 2000


def parse_markdown(text: str) -> Document:
    """The text unchanged, with headings without their #, list items without their bullet, paragraphs, table rows."""
    return _Reader(text).document()


def read_markdown(text: str, name: str = "") -> tuple[Document, list[RawTable]]:
    """The same, and the tables, each with the heading over it as its caption, or else the file's name."""
    reader = _Reader(text)
    tables = [
        RawTable(
            reader.plain(found.heading) or name,
            [[reader.plain(cell) for cell in row] for row in found.rows],
            1,
        )
        for found in reader.tables
    ]
    return reader.document(), tables


class _Table(NamedTuple):
    """The heading over a table and its cells, with their marks."""

    heading: str
    rows: list[list[str]]


class _Reader:
    """markdown-it's tokens, one after the other, as elements and tables."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = list(line_spans(text))
        self._title = self._front_matter()
        # As markdown-it makes them; each is as long as the line in the text.
        self._lines = [text[start:end].replace("\0", "\ufffd") for start, end in self._spans]
        self._elements: list[Element] = []
        self.tables: list[_Table] = []
        # The list items that are open: whether each still waits for its first text.
        self._items: list[bool] = []
        self._heading = ""
        self._environment: Environment = {}
        self._read(block_tokens(self._lines, self._environment))

    def document(self) -> Document:
        title = self._title or next((element.text for element in self._elements if element.tag == "h1"), "")
        return Document(self._text, title, elements=tuple(self._elements))

    def plain(self, text: str) -> str:
        """The words of a cell or heading, without marks for bold, code and links."""
        if len(text) <= _LONGEST_READ and _HAS_MARKS.search(text):
            text = shown_text(text, self._environment)
        return " ".join(text.split())

    def _front_matter(self) -> str:
        """Take the lines of YAML or TOML at the beginning away; returns the title that they state."""
        ends = _FRONT_MATTER.get(self._line(0), ()) if self._spans else ()
        title = ""
        for number in range(1, len(self._spans) if ends else 0):
            if (line := self._line(number)) in ends:
                del self._spans[: number + 1]
                return title
            if found := _TITLE.match(line):
                title = found[1].strip().strip("\"'")
        return ""

    def _line(self, number: int) -> str:
        return self._text[slice(*self._spans[number])].rstrip()

    def _read(self, tokens: Iterable[Token]) -> None:
        before: Token | None = None
        for token in tokens:
            kind = token.type
            if kind == "list_item_open":
                self._items.append(True)
            elif kind == "list_item_close":
                self._items.pop()
            elif kind == "table_open":
                self._read_table(*_lines_of(token))
            elif kind == "fence":
                first = _lines_of(token)[0] + 1
                size = len(token.content.rstrip("\n").split("\n"))
                self._add("p", *self._span(first, min(first + size, len(self._lines)), token.content))
            elif kind == "html_block":
                first, last = _lines_of(token)
                for found in html_texts(self._text, self._spans[first][0], self._spans[last - 1][1]):
                    self._add(*found)
            elif kind == "inline" and before is not None and before.type == "heading_open":
                self._read_heading(HEADINGS[before.tag], token)
            elif kind == "inline" and before is not None and before.type == "paragraph_open":
                self._read_paragraph(token)
            before = token

    def _read_paragraph(self, token: Token) -> None:
        tag = "p"
        if self._items and self._items[-1]:
            self._items[-1], tag = False, "li"
        first, last = _lines_of(token)
        start, end = self._span(first, last, token.content)
        if mark := _TASK_OR_FOOTNOTE.match(self._text, start, end):
            start = mark.end()
        for piece in self._pieces(first, last, start, end):
            item = self._item(*piece)
            self._add(
                tag if item is None else "li",
                *without_markup(self._text, piece[0] if item is None else item, piece[1]),
            )
            tag = "p"

    def _pieces(self, first: int, last: int, start: int, end: int) -> Iterator[tuple[int, int]]:
        """A paragraph's span, parted before its lines that begin an article or a numbered item."""
        for line in range(first, last):
            at, until = trimmed(self._text, *self._spans[line])
            if start < at < end and (
                begins_article(self._text, at, until) or self._item(at, until) is not None
            ):
                yield start, at
                start = at
        yield start, end

    def _item(self, start: int, end: int) -> int | None:
        """Where the own text of a numbered item begins, if there is one and Markdown knows it not."""
        if not _NUMBER_OF_ITEM.match(self._text, start, end):
            return None
        return after_marker(self._text, start, end)

    def _read_heading(self, tag: str, token: Token) -> None:
        self._heading = token.content
        first, last = _lines_of(token)
        # The number signs behind a heading are no part of it.
        at = self._lines[first].rfind(token.content) if last - first == 1 and token.content else -1
        if at < 0:
            self._add(tag, *self._span(first, last, token.content))
        else:
            start = self._spans[first][0] + at
            self._add(tag, start, start + len(token.content))

    def _span(self, first: int, last: int, content: str) -> tuple[int, int]:
        """Where the content of these lines stands: it begins behind bullets and marks of quotation."""
        words = content.strip().split("\n", 1)[0].rstrip()
        for line in range(first, last if words else first):
            whole = self._lines[line].rstrip()
            if whole.endswith(words):
                return self._spans[line][0] + len(whole) - len(words), self._spans[last - 1][1]
        return 0, 0

    def _add(self, tag: str, start: int, end: int) -> None:
        start, end = trimmed(self._text, start, end)
        if start < end:
            self._elements.append(Element(tag, self._text[start:end], start, end))

    def _read_table(self, first: int, last: int) -> None:
        """The rows of a table, which ends at a line without a bar; GitHub's would go on to a blank line."""
        rows: list[list[str]] = []
        starts: dict[int, int] = self._environment["rows"]
        for line in range(first, last):
            end = self._spans[line][1]
            start, end = trimmed(self._text, end + starts[line], end)
            if not _BAR.search(self._text, start, end):
                self._add("p", start, self._spans[last - 1][1])
                break
            if line == first + 1:
                continue
            start += self._text.startswith("|", start)
            end -= start < end and self._text[end - 1] == "|" and self._text[end - 2] != "\\"
            self._add("tr", start, end)
            # GitHub's rule: cells beyond the header's are dropped; here none is, as in every other format.
            rows.append([cell.strip().replace("\\|", "|") for cell in _BAR.split(self._text[start:end])])
        if rows:
            self.tables.append(_Table(self._heading, rows))


def _lines_of(token: Token) -> tuple[int, int]:
    first, last = token.map or (0, 0)
    return first, last

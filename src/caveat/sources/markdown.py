"""Markdown as a document: the file's own text, and the spans of it that are headings, paragraphs, items and rows.

Only what parts a text into blocks is read (CommonMark's rules, tables of GitHub's flavour, YAML front matter);
marks inside a line, such as **bold**, stay as they are, since the text is not changed.
"""

from __future__ import annotations

import re

from caveat.core.records import Document, Element
from caveat.sources.lines import line_spans, trimmed

__all__ = ["parse_markdown"]

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$")
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_QUOTE = re.compile(r"(?:>[ \t]?)+")
_ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?:[ \t]+|$)(?:\[[ xX]\][ \t]+)?")
_DELIMITERS = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_REFERENCE = re.compile(r"\[[^\]]+\]:[ \t]*\S")
_TAGS_ONLY = re.compile(r"(?:</?[a-zA-Z][^>]*>[ \t]*)+$")
_TITLE = re.compile(r"title[ \t]*:[ \t]*(.+)")


def parse_markdown(text: str) -> Document:
    """The text unchanged, with headings without their #, list items without their bullet, paragraphs, table rows."""
    parser = _Parser(text)
    parser.run()
    title = parser.title or next((e.text for e in parser.elements if e.tag == "h1"), "")
    return Document(text, title, elements=tuple(parser.elements))


class _Parser:
    """The lines one after the other, with the paragraph or item that is still open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = list(line_spans(text))
        self.at = 0
        self.title = ""
        self.elements: list[Element] = []
        self.tag = ""  # of the open element; empty for none
        self.start = self.end = 0
        self.quoted = False

    def run(self) -> None:
        self._front_matter()
        while self.at < len(self.lines):
            start, end = trimmed(self.text, *self.lines[self.at])
            self.at += 1
            if start == end:
                self._close()
            else:
                self._line(start, end)
        self._close()

    def _line(self, start: int, end: int) -> None:
        text = self.text
        quote = _QUOTE.match(text, start, end)
        if bool(quote) != self.quoted:
            self._close()
            self.quoted = bool(quote)
        if quote:
            start, end = trimmed(text, quote.end(), end)
            if start == end:
                self._close()
                return
        # Most lines are prose: the first character tells that nothing else can begin here.
        first = text[start]
        if (
            (first == "#" and self._heading(start, end))
            or (first in "=-" and self._underline(start, end))
            or (first in "-*_" and self._rule(start, end))
            or (first in "`~" and self._fence(start, end))
            or (first == "<" and self._markup(start, end))
            or (first == "[" and not self.tag and _REFERENCE.match(text, start, end))
            or ((first in "-+*" or first.isdigit()) and self._item(start, end))
            or self._table(start, end)
        ):
            return
        self._prose(start, end)

    def _prose(self, start: int, end: int) -> None:
        if not self.tag:
            self.tag, self.start = "p", start
        elif self.start == self.end:
            self.start = start  # an item whose text begins a line below its bullet
        self.end = end

    def _close(self) -> None:
        if self.tag:
            self._add(self.tag, self.start, self.end)
        self.tag = ""

    def _add(self, tag: str, start: int, end: int) -> None:
        start, end = trimmed(self.text, start, end)
        if start < end:
            self.elements.append(Element(tag, self.text[start:end], start, end))

    def _heading(self, start: int, end: int) -> bool:
        mark = _HEADING.match(self.text, start, end)
        if mark is None:
            return False
        self._close()
        words = self.text[mark.end() : end]
        bare = words.rstrip("#")
        if not bare or bare[-1].isspace():  # "# Fees ##" is closed, "# C#" is not
            words = bare
        self._add(_level(len(mark[1])), mark.end(), mark.end() + len(words))
        return True

    def _underline(self, start: int, end: int) -> bool:
        mark = _UNDERLINE.match(self.text, start, end)
        if mark is None or self.tag != "p":
            return False
        self.tag = "h1" if mark[1][0] == "=" else "h2"
        self._close()
        return True

    def _rule(self, start: int, end: int) -> bool:
        if _RULE.match(self.text, start, end) is None:
            return False
        self._close()
        return True

    def _fence(self, start: int, end: int) -> bool:
        """Fenced code is a paragraph; without an end it reaches to the end of the text."""
        mark = _FENCE.match(self.text, start, end)
        if mark is None or (mark[1][0] == "`" and "`" in self.text[mark.end() : end]):
            return False
        self._close()
        inside = self.at
        while self.at < len(self.lines):
            line = self.text[slice(*self.lines[self.at])].strip()
            self.at += 1
            if line.startswith(mark[1]) and not line.strip(mark[1][0]):
                last = self.at - 1
                break
        else:
            last = self.at
        if inside < last:
            self._add("p", self.lines[inside][0], self.lines[last - 1][1])
        return True

    def _markup(self, start: int, end: int) -> bool:
        """HTML comments, and lines of nothing but tags, are not seen."""
        if self.text.startswith("<!--", start):
            self._close()
            closed = self.text.find("-->", start)
            while closed >= 0 and self.at < len(self.lines) and self.lines[self.at][0] <= closed:
                self.at += 1
            if closed < 0:
                self.at = len(self.lines)
            return True
        return _TAGS_ONLY.match(self.text, start, end) is not None

    def _item(self, start: int, end: int) -> bool:
        mark = _ITEM.match(self.text, start, end)
        # "The year was\n1984. It rained." is one paragraph: only a 1 begins a list inside of one.
        if mark is None or (self.tag == "p" and mark[1] not in (None, "1")):
            return False
        self._close()
        while mark and mark.end() < end:
            start = mark.end()
            mark = _ITEM.match(self.text, start, end)
        self.tag, self.start, self.end = "li", start, end
        if mark:
            self.start = self.end = mark.end()
        return True

    def _table(self, start: int, end: int) -> bool:
        """A row over a row of dashes begins a table; it ends at a line without a bar."""
        if "|" not in self.text[start:end] or self.at == len(self.lines):
            return False
        below = self._content(self.at)
        if "|" not in self.text[slice(*below)] or _DELIMITERS.match(self.text, *below) is None:
            return False
        self._close()
        self._row(start, end)
        self.at += 1
        while self.at < len(self.lines):
            start, end = self._content(self.at)
            if "|" not in self.text[start:end]:
                break
            self._row(start, end)
            self.at += 1
        return True

    def _content(self, line: int) -> tuple[int, int]:
        start, end = trimmed(self.text, *self.lines[line])
        if self.quoted and (quote := _QUOTE.match(self.text, start, end)):
            start = min(quote.end(), end)
        return trimmed(self.text, start, end)

    def _row(self, start: int, end: int) -> None:
        """A row as it stands, without the bars at its ends."""
        start += self.text.startswith("|", start)
        end -= start < end and self.text[end - 1] == "|" and self.text[end - 2] != "\\"
        self._add("tr", start, end)

    def _front_matter(self) -> None:
        if not self.lines or self.text[slice(*self.lines[0])].rstrip() != "---":
            return
        title = ""
        for number, (start, end) in enumerate(self.lines[1:], 1):
            line = self.text[start:end].rstrip()
            if line in ("---", "..."):
                self.at, self.title = number + 1, title
                return
            if found := _TITLE.match(line):
                title = found[1].strip().strip("\"'")


def _level(marks: int) -> str:
    return f"h{min(marks, 4)}"

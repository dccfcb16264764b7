"""Org, AsciiDoc and wiki text as HTML: headings, paragraphs, list items and tables.

What is shown of a text is read; includes are named, since other files are not read. Runs in the process of the parsers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from caveat.core.errors import one_line
from caveat.sources.contents import Piece, Pieces
from caveat.sources.office_parts import Cell, Writer, table_html

# What other files a text wants.
_MOST_NAMED, _LONGEST_NAME = 5, 60
_INDENT = 2


class ShownText:
    """Takes what stands below each other; lines that follow each other become a paragraph or a list item."""

    def __init__(self, inline: Callable[[str], str]) -> None:
        self.title = ""
        self.missing: dict[str, None] = {}
        self._inline = inline
        self._writer = Writer()
        self._lines: list[str] = []
        self._depth: int | None = None
        self._rows: list[list[Cell]] = []

    def line(self, text: str) -> None:
        """One more line of what is open."""
        if self._rows:
            self.end()
        self._lines.append(text.strip())

    def piece(self, text: str) -> None:
        """More of the line that is open."""
        if self._rows:
            self.end()
        self._lines[-1:] = ["".join((*self._lines[-1:], text))]

    def end(self) -> None:
        """End a paragraph, a list item or a table."""
        if self._rows:
            self._writer.raw(table_html(self._rows))
            self._rows = []
        html = escape(" ".join(self._inline(" ".join(self._lines)).split()), quote=False)
        if self._depth is not None:
            self._writer.item(self._depth, html)
        else:
            self._writer.paragraph(html)
        self._lines, self._depth = [], None

    def heading(self, level: int, text: str) -> None:
        """One line that is a heading."""
        self.end()
        self._writer.heading(level, escape(" ".join(self._inline(text).split()), quote=False))

    def item(self, depth: int, text: str) -> None:
        """The first line of an item that stands in `depth` others."""
        self.end()
        self._depth = depth
        self.line(text)

    def verbatim(self, lines: list[str]) -> None:
        """Lines that are shown as they are."""
        self.end()
        if any(map(str.strip, lines)):
            text = "\n".join(lines).strip("\n")
            self._writer.raw(f"<pre>{escape(text, quote=False)}</pre>")

    def row(self, cells: list[str], *, header: bool = False) -> None:
        """One row of a table."""
        if self._lines:
            self.end()
        shown = [" ".join(self._inline(cell).split()) for cell in cells]
        self._rows.append([Cell(escape(cell, quote=False), header=header) for cell in shown])

    def rule(self) -> None:
        """What stands over it is the head of a table."""
        self._rows[:] = [[cell._replace(header=True) for cell in row] for row in self._rows]

    def pieces(self) -> Pieces:
        """All of it."""
        self.end()
        names = [one_line(name, _LONGEST_NAME) for name in self.missing]
        more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
        said = (
            f"includes other files, which are not read: {', '.join(names[:_MOST_NAMED])}{more}"
            if names
            else ""
        )
        return Pieces(self.title, [Piece("html", self._writer.html(self.title))], said)


def _lines_of(data: bytes) -> list[str]:
    return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n").split("\n")


_ORG_HEADING = re.compile(r"(\*{1,20})[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(?:\[#\w\][ \t]*)?(.*)")
_ORG_TAGS = re.compile(r"[ \t]+:[\w@#%:]+:[ \t]*\Z")
_ORG_KEY = re.compile(r"#\+(\w+)(?:\[[^\]]*\])?:[ \t]*(.*)", re.IGNORECASE)
_ORG_BLOCK = re.compile(r"[ \t]*#\+begin_(\w+)", re.IGNORECASE)
_ITEM = re.compile(r"([ \t]*)(?:[-+•]|\*(?=[ \t])|\d{1,4}[.)])[ \t]+(?:\[[ xX-]\][ \t]+)?(.*)")
_ORG_TERM = re.compile(r"(.{1,100}?)[ \t]+::[ \t]+")
_ORG_LINK = re.compile(r"\[\[([^\[\]]+)\](?:\[([^\[\]]+)\])?\]")
_ORG_MARKS = re.compile(r"(?<![\w*/=~+])([*/=~+])(?=\S)([^*/=~+\n]{1,300}?)(?<=\S)\1(?![\w*/=~+])")
_VERBATIM = frozenset(("src", "example", "export", "verse"))


def read_org(data: bytes) -> Pieces:
    """Org, as Emacs writes it."""
    text = ShownText(lambda line: _ORG_MARKS.sub(r"\2", _ORG_LINK.sub(lambda link: link[2] or link[1], line)))
    lines = iter(_lines_of(data))
    for line in lines:
        bare = line.strip()
        if found := _ORG_HEADING.fullmatch(line):
            text.heading(len(found[1]), _ORG_TAGS.sub("", found[2]))
        elif found := _ORG_BLOCK.match(line):
            if found[1].lower() in _VERBATIM:
                text.verbatim(list(_until(lines, f"#+end_{found[1]}")))
        elif bare.upper() in (":PROPERTIES:", ":LOGBOOK:"):
            for _ in _until(lines, ":END:"):
                pass
        elif found := _ORG_KEY.match(bare):
            if found[1].lower() == "title":
                text.title = text.title or " ".join(found[2].split())
            elif found[1].lower() == "include":
                text.missing[found[2].split(" :")[0].strip('"')] = None
        elif not bare or bare.startswith(("# ", "#+")) or bare == "#":
            text.end()
        elif bare.startswith("|"):
            if bare.startswith("|-"):
                text.rule()
            else:
                text.row(bare.strip("|").split("|"))
        elif found := _ITEM.fullmatch(line):
            text.item(len(found[1].expandtabs()) // _INDENT, _ORG_TERM.sub(r"\1: ", found[2]))
        else:
            text.line(line)
    return text.pieces()


def _until(lines: Iterator[str], end: str) -> Iterator[str]:
    """The lines before one that is `end`, whatever its case."""
    for line in lines:
        if line.strip().lower() == end.lower():
            return
        yield line


_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_ADOC_ITEM = re.compile(r"[ \t]*(\*{1,6}|\.{1,6}|-|\d{1,3}\.)[ \t]+(?:\[[ xX*]\][ \t]+)?(.*)")
_ADOC_TERM = re.compile(r"[ \t]*(\S.{0,200}?):{2,4}(?:[ \t]+(.*))?")
_ADOC_ATTRIBUTE = re.compile(r":!?[\w-]+!?:(?:[ \t].*)?")
_ADOC_FENCE = re.compile(r"(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|/{4,}|\+{4,}|--|```\w*)")
_ADOC_MACRO = re.compile(
    r"(?:link:|xref:|mailto:)[^\s\[\]]+\[([^\[\]]*)\]|(?:https?|ftp)://[^\s\[\]]+\[([^\[\]]+)\]"
)
_ADOC_PICTURE = re.compile(r"(?:image|video|icon)::?[^\s\[\]]+\[([^\[\],]*)[^\[\]]*\]")
_ADOC_REFERENCE = re.compile(r"<<[^<>,]+(?:,[ ]*([^<>]+))?>>")
_ADOC_NOTE = re.compile(r"footnote:\w*\[([^\[\]]*)\]")
_ADOC_MARKS = re.compile(r"(?<![\w*_`])([*_`]{1,2})(?=\S)([^*_`\n]{1,300}?)(?<=\S)\1(?![\w*_`])")
_ADOC_LEFT = re.compile(r"\[\[[^\[\]]*\]\]|\[#[^\[\]]*\]|[ \t]\+\Z")
_ADOC_CELL = re.compile(r"(?:(?<=\s)|\A)(?:\d*\.?\d*[+*])?[<^>.]*[a-z]?\|")
_ADOC_COLUMNS = re.compile(r"cols?=\"?([^\"\]]*)")


def _adoc_inline(line: str) -> str:
    line = _ADOC_MACRO.sub(lambda found: (found[1] or found[2] or "").strip("^"), line)
    line = _ADOC_PICTURE.sub(r"\1", line)
    line = _ADOC_REFERENCE.sub(lambda found: found[1] or "", line)
    return _ADOC_LEFT.sub("", _ADOC_MARKS.sub(r"\2", _ADOC_NOTE.sub(r" (\1)", line)))


def read_asciidoc(data: bytes) -> Pieces:
    """AsciiDoc; of its blocks what is inside."""
    text = ShownText(_adoc_inline)
    lines = iter(_lines_of(data))
    columns, style = 0, ""
    for line in lines:
        bare = line.strip()
        if found := _ADOC_HEADING.fullmatch(line):
            text.heading(len(found[1]), found[2])
            text.title = text.title or (_adoc_inline(found[2]) if len(found[1]) == 1 else "")
        elif bare == "|===" or bare.startswith(("|====", ",===")):
            _adoc_table(text, list(_until(lines, bare)), columns, has_head="header" in style)
            columns, style = 0, ""
        elif _ADOC_FENCE.fullmatch(bare):
            text.end()
            if bare[0] in "/+":
                for _ in _until(lines, bare):
                    pass
            elif bare[:4] in ("----", "....") or bare.startswith("```"):
                text.verbatim(list(_until(lines, "```" if bare[0] == "`" else bare)))
        elif bare.startswith("[") and bare.endswith("]"):
            text.end()
            style = bare
            found = _ADOC_COLUMNS.search(bare)
            columns = _adoc_columns(found[1]) if found else 0
        elif bare.startswith("include::"):
            text.missing[bare.removeprefix("include::").partition("[")[0]] = None
        elif not bare or bare == "+" or bare.startswith("//") or _ADOC_ATTRIBUTE.fullmatch(bare):
            text.end()
        elif found := _ADOC_ITEM.fullmatch(line):
            text.item(len(found[1]) - 1 if found[1][0] in "*." else 0, found[2])
        elif (found := _ADOC_TERM.fullmatch(line)) and " " * 3 not in found[1]:
            text.end()
            text.line(f"{found[1]}: {found[2] or ''}")
        else:
            # The title of a block stands right over it.
            text.line(bare.removeprefix(".") if re.match(r"\.\w", bare) else line)
    return text.pieces()


def _adoc_columns(said: str) -> int:
    """The number of columns, of `1,2,1` or `3*`."""
    found = re.match(r"(\d{1,3})\*", said)
    return int(found[1]) if found else len(said.split(","))


def _adoc_table(text: ShownText, lines: list[str], columns: int, *, has_head: bool) -> None:
    cells: list[str] = []
    head = 0
    for number, line in enumerate(lines):
        if not line.strip():
            head = head or (len(cells) if not has_head else 0)
            continue
        first, *found = _ADOC_CELL.split(line.strip())
        if cells and first.strip():
            cells[-1] += f" {first.strip()}"
        cells += found
        if number == 0 and not columns:
            columns = len(found)
    if not columns:
        return
    is_headed = has_head or head == columns
    for at in range(0, len(cells), columns):
        text.row(cells[at : at + columns], header=is_headed and not at)
    text.end()


_WIKI_HEADING = re.compile(r"(={1,6})[ \t]*(.+?)[ \t]*\1[ \t]*")
_WIKI_ITEM = re.compile(r"([*#:;]{1,20})[ \t]*(.*)")
_WIKI_HIDDEN = re.compile(r"<!--.*?-->|<ref\b[^<>]*/>|<ref\b[^<>]*>.*?</ref>|__[A-Z]+__", re.DOTALL)
_WIKI_LINK = re.compile(r"\[\[(?:([^\[\]|:]+):)?([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")
_WIKI_ADDRESS = re.compile(r"\[(?:https?:)?//[^\s\[\]]+(?:[ \t]+([^\[\]]+))?\]")
_WIKI_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}")
_WIKI_MARKS = re.compile(
    r"'{2,5}|</?(?:nowiki|small|big|sub|sup|br|b|i|u|code|center|span|div)\b[^<>]*>", re.IGNORECASE
)
_WIKI_ATTRIBUTES = re.compile(r"[^|\[\]{}]*=[^|\[\]{}]*\|(?!\|)")
# Links to what is no text: pictures and categories, in the words that wikis use.
_WIKI_UNSEEN = frozenset(
    ("file", "image", "category", "media", "文件", "图像", "圖像", "分类", "分類", "檔案")
)
_DEEPEST_TEMPLATE = 6


def _wiki_link(found: re.Match[str]) -> str:
    home, target, shown = found.groups()
    if home is not None and home.strip().lower() in _WIKI_UNSEEN:
        return ""
    return (shown or target if home is None else shown or f"{home}:{target}").strip()


def _wiki_inline(line: str) -> str:
    line = _WIKI_ADDRESS.sub(lambda found: found[1] or "", _WIKI_LINK.sub(_wiki_link, line))
    return _WIKI_MARKS.sub("", line)


def read_wiki(data: bytes) -> Pieces:
    """Wiki text as MediaWiki has it; templates and references are left out."""
    whole = _WIKI_HIDDEN.sub("", "\n".join(_lines_of(data)))
    for _ in range(_DEEPEST_TEMPLATE):
        plain = _WIKI_TEMPLATE.sub("", whole)
        if plain == whole:
            break
        whole = plain
    text = ShownText(_wiki_inline)
    row: list[str] | None = None
    is_head = False
    for line in whole.split("\n"):
        bare = line.strip()
        if bare.startswith("{|"):
            text.end()
            row, is_head = [], False
        elif row is not None:
            if bare.startswith(("|}", "|-")):
                if row:
                    text.row(row, header=is_head)
                row, is_head = (None if bare.startswith("|}") else []), False
                if row is None:
                    text.end()
            elif bare.startswith(("|", "!")) and not bare.startswith("|+"):
                is_head = is_head or (bare[0] == "!" and not row)
                row += (_WIKI_ATTRIBUTES.sub("", cell, count=1) for cell in re.split(r"\|\||!!", bare[1:]))
            elif row and bare:
                row[-1] += f" {bare}"
        elif found := _WIKI_HEADING.fullmatch(bare):
            text.heading(len(found[1]), found[2])
        elif not bare:
            text.end()
        elif found := _WIKI_ITEM.fullmatch(bare):
            if found[1][-1] in ":;":
                text.end()
                text.line(found[2])
            else:
                text.item(len(found[1]) - 1, found[2])
        else:
            text.line(line)
    return text.pieces()

"""Markdown as a document: what a reader sees of it, as headings, paragraphs, list items and rows, one a line.

markdown-it parts the text into blocks, and its rules for what stands inside a line take the marks away: neither a
question nor an answer has to do with `**`, a link's address or a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block, paragraph, table
from markdown_it.token import Token

from caveat.core.limits import checkpoint
from caveat.core.records import Document
from caveat.sources.grid import RawTable
from caveat.sources.html import read_fragment
from caveat.sources.html_tags import HEADINGS
from caveat.sources.markdown_dialects import front_matter, plain_markdown
from caveat.sources.marks import shown
from caveat.sources.mdx import begins_with_imports, without_jsx
from caveat.sources.outline import Block, assemble
from caveat.sources.plain_text import after_marker, begins_article, line_spans

Environment = dict[str, Any]
"""What markdown-it keeps of a text: the addresses of its links; and here, under "rows", where rows begin.

That is for each line of a table a negative number, counted from the line's end.
"""

# Lists and quotations inside of one another; whatever stands deeper is taken for paragraphs.
_DEEPEST = 64
# Lines that are parsed at once, about: a token takes many times the space of its text.
_STRETCH = 500


def block_tokens(lines: Sequence[str], environment: Environment) -> Iterator[Token]:
    """The tokens of the blocks, without those of the marks inside a line; their maps are numbers of lines."""
    first, size = 0, _STRETCH
    while first < len(lines):
        checkpoint()
        last = _next_block(lines, first + size)
        environment["first line"] = first
        tokens = parser().parse("\n".join(lines[first:last]) + "\n", environment)
        if last < len(lines) and tokens and _is_open(tokens[-1], last - first):
            size *= 2
            continue
        for token in tokens:
            if token.map is not None:
                token.map = [first + token.map[0], first + token.map[1]]
            yield token
        first, size = last, _STRETCH


def _next_block(lines: Sequence[str], at: int) -> int:
    """The first line from there on at which every list and quotation has ended: after a blank one, not indented."""
    for line in range(at, len(lines)):
        if lines[line] and lines[line][0] not in " \t" and not lines[line - 1].strip(" \t"):
            return line
    return len(lines)


def _is_open(token: Token, lines: int) -> bool:
    """Whether a block of code or HTML may go on after these lines, of which the last is blank."""
    return token.type in ("fence", "html_block") and token.map is not None and token.map[1] >= lines


@cache
def parser() -> MarkdownIt:
    """CommonMark with tables, whose blocks and whose lines are read one by one."""
    made = MarkdownIt("commonmark", {"maxNesting": 2 * _DEEPEST})
    # Text that is indented is no code: prose is often indented carelessly.
    made.enable(["table", "strikethrough"]).disable(["inline", "text_join", "code"])
    rules = made.block.ruler
    rules.at("table", _table, {"alt": ["paragraph", "reference"]})
    rules.before("table", "too deep", _too_deep)
    rules.at("blockquote", _quotation, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    rules.at("list", _list, {"alt": ["paragraph", "reference", "blockquote"]})
    return made


def _too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return state.level >= _DEEPEST and paragraph(state, start, end, silent)


def _quotation(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return not _is_row(state, start) and blockquote(state, start, end, silent)


def _list(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return not _is_row(state, start) and list_block(state, start, end, silent)


def _is_row(state: StateBlock, line: int) -> bool:
    """Whether a line goes on with a table: "> 5 mg | daily" is a row, though GitHub's rule begins a quotation there."""
    if not state.env.get("in table"):
        return False
    return "|" in state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """markdown-it's rule, which also says where behind bullets and marks of quotation each row begins."""
    outside = state.env.get("in table", False)
    state.env["in table"] = True
    try:
        if not table(state, start, end, silent):
            return False
    finally:
        state.env["in table"] = outside
    if not silent:
        rows = state.env.setdefault("rows", {})
        for line in range(start, state.line):
            start_of_row = state.bMarks[line] + state.tShift[line]
            rows[state.env["first line"] + line] = start_of_row - state.eMarks[line]
    return True


_TASK_OR_FOOTNOTE = re.compile(r"\[[ xX]\][ \t]+|\[\^[^\]\s]{1,100}\]:[ \t]*")
# Numbers that are no list of Markdown's, and yet are one: "（一）", "1、", "①".
_NUMBER_OF_ITEM = re.compile(r"[（(①-⑳]|\d{1,3}[、．]|[一二三四五六七八九十]{1,3}、")
_BAR = re.compile(r"(?<!\\)\|")
_HAS_MARKS = re.compile(r"[\\`*_~\[\]<&{}]|:::")
# Statements, values and attributes of site generators; what leads to a footnote; lines around a box (`::: tip`).
_TEMPLATES = re.compile(
    r"(?P<code>`[^`\n]+`)"
    r"|\{%[^{}]*%\}|\{\{[^{}]*\}\}|\{[:#][^{}]*\}|\[\^[^\]\s]{1,100}\](?!:)|^[ \t]*:{3,}[ \t]*[\w-]*[ \t]*$",
    re.MULTILINE,
)
# The rules take time with the square of the marks, so that a text is read in pieces, each up to a sentence's end.
_PIECE, _MOST_MARKS = 2000, 100
_END = re.compile(r"[.!?][ \n]|[。！？\n]")
_BREAKS = ("softbreak", "hardbreak")
_SUMMARY = re.compile(r"<(/?)summary\b[^<>]*>", re.IGNORECASE)
_ONLY_TAGS = re.compile(r"(?:\s|<[^<>]*>)*")
_TEXT_TOKENS = (
    "paragraph_open",
    "bullet_list_open",
    "ordered_list_open",
    "table_open",
    "fence",
    "blockquote_open",
)


def parse_markdown(text: str) -> Document:
    """What is shown of a text: headings, list items, paragraphs, table rows with their cells joined by " | "."""
    return read_markdown(text).document


class MarkdownText(NamedTuple):
    """A text in Markdown as a document, the tables in it, and what is to be said about it."""

    document: Document
    tables: list[RawTable]
    remark: str = ""


def read_markdown(text: str, name: str = "", *, mdx: bool = False) -> MarkdownText:
    """The same, and the tables, each with the heading over it as its caption, or else the file's name.

    The description of the front matter is the first paragraph.
    """
    lines = [text[start:end].replace("\0", "\ufffd") for start, end in line_spans(text)]
    said = front_matter(lines)
    lines = lines[said.first :]
    if mdx or begins_with_imports(lines):
        lines = without_jsx(lines)
    dialect = plain_markdown(lines)
    reader = _Reader(dialect.lines, name)
    blocks = reader.blocks
    if said.description and said.description not in (block.text for block in blocks[:3]):
        blocks = [Block("p", 0, said.description), *blocks]
    return MarkdownText(assemble(blocks, title=said.title or reader.title), reader.tables, dialect.remark)


class _Reader:
    """markdown-it's tokens, one after the other, as blocks and tables."""

    def __init__(self, lines: list[str], name: str) -> None:
        self._lines, self._name = lines, name
        self.blocks: list[Block] = []
        self.tables: list[RawTable] = []
        # The list items that are open: the marker of each that still waits for its first text.
        self._items: list[str | None] = []
        self._heading, self._level = "", 1
        self._environment: Environment = {}
        # All of them first: a link may stand before the line that says where it leads.
        self._read(list(block_tokens(lines, self._environment)))

    @property
    def title(self) -> str:
        return next((block.text for block in self.blocks if block.tag == "h1"), "")

    def _read(self, tokens: Sequence[Token]) -> None:
        before: Token | None = None
        no_headings = _folds_in_sections(tokens)
        for index, token in enumerate(tokens):
            checkpoint()
            kind = token.type
            if kind == "list_item_open":
                self._items.append(f"{token.info}{token.markup} " if token.info else "")
            elif kind == "list_item_close":
                self._items.pop()
            elif kind == "table_open":
                self._read_table(*(token.map or (0, 0)))
            elif kind == "fence":
                self._add("p", token.content.strip("\n"))
            elif kind == "html_block":
                markup = token.content
                if index in no_headings:
                    markup = _SUMMARY.sub(r"<\1p>", markup)
                self._read_html(markup)
            elif kind == "inline" and before is not None and before.type == "heading_open":
                self._heading = " ".join(self._shown(token.content).split())
                self._level = int(HEADINGS[before.tag][1])
                self._add(HEADINGS[before.tag], self._heading)
            elif kind == "inline" and before is not None and before.type == "paragraph_open":
                for piece in _pieces(_TASK_OR_FOOTNOTE.sub("", token.content, count=1)):
                    self._read_paragraph(piece)
            before = token

    def _read_paragraph(self, text: str) -> None:
        item = after_marker(text, 0, len(text)) if _NUMBER_OF_ITEM.match(text) else None
        if item is None:
            self._add("p", self._shown(text))
        else:
            self._add("li", self._shown(text[item:]), text[:item])

    def _read_html(self, markup: str) -> None:
        blocks, tables = read_fragment(markup, self._heading or self._name, self._level)
        for block in blocks:
            self.blocks.append(block._replace(depth=block.depth + self._depth))
            if block.tag in HEADINGS:
                self._heading = block.text
                # The name of a fold is below the headings of its section.
                self._level = self._level if "<summary" in markup else int(block.tag[1])
        self.tables += tables

    def _read_table(self, first: int, last: int) -> None:
        """The rows of a table, which ends at a line without a bar; GitHub's would go on to a blank line."""
        rows: list[list[str]] = []
        starts: dict[int, int] = self._environment["rows"]
        for number in range(first, last):
            line = self._lines[number]
            row = line[len(line) + starts[number] :].strip()
            if not _BAR.search(row):
                self._add("p", self._shown("\n".join((row, *self._lines[number + 1 : last]))))
                break
            if number == first + 1:
                continue
            # GitHub's rule: cells beyond the header's are dropped; here none is, as in every other format.
            cells = _BAR.split(row.removeprefix("|"))
            if len(cells) > 1 and not cells[-1].strip():
                cells.pop()
            rows.append([" ".join(self._shown(cell.replace("\\|", "|")).split()) for cell in cells])
            self._add("tr", " | ".join(rows[-1]))
        if rows:
            self.tables.append(RawTable(self._heading or self._name, rows, 1))

    def _shown(self, text: str) -> str:
        return _shown_text(text, self._environment)

    @property
    def _depth(self) -> int:
        return len(self._items)

    def _add(self, tag: str, text: str, marker: str = "") -> None:
        """A block, the first of an open list item as that item."""
        text, depth = text.strip(), self._depth
        if not text:
            return
        if self._items and (open_ := self._items[-1]) is not None and tag in ("p", "li"):
            self._items[-1] = None
            tag, depth, marker = "li", depth - 1, marker or open_
        self.blocks.append(Block(tag, depth, text, marker))


def _folds_in_sections(tokens: Sequence[Token]) -> set[int]:
    """The tokens of HTML with a fold that a text of the same section follows, so that its name is no heading.

    HTML that has Markdown inside ends at a blank line: where the fold ends is said by another token.
    """
    inside: list[int] = []
    found: set[int] = set()
    ended: list[int] = []
    before_fold = False
    for index, token in enumerate(tokens):
        if token.type == "html_block":
            opened, closed = token.content.count("<details"), token.content.count("</details")
            if opened:
                before_fold = bool(ended)
                ended = []
                inside += [index] * opened
            for _ in range(min(closed, len(inside))):
                first = inside.pop()
                ended = [first] if not before_fold or inside else ended
            if opened or closed or not _ONLY_TAGS.fullmatch(token.content):
                continue
        elif token.type == "heading_open":
            ended = []
        elif ended and not inside and token.type in _TEXT_TOKENS:
            found.update(ended)
            ended = []
    return found


def _pieces(content: str) -> Iterator[str]:
    """A paragraph, parted before its lines that begin an article or a numbered item."""
    gathered: list[str] = []
    for line in map(str.strip, content.split("\n")):
        begins = begins_article(line, 0, len(line)) or (
            _NUMBER_OF_ITEM.match(line) is not None and after_marker(line, 0, len(line)) is not None
        )
        if gathered and begins:
            yield "\n".join(gathered)
            gathered = []
        gathered.append(line)
    yield "\n".join(gathered)


def _shown_text(text: str, environment: Environment) -> str:
    """The text without its marks; line ends stay, other blanks are one. `environment` knows where links lead."""
    if not _HAS_MARKS.search(text):
        return text
    text = "".join(_of_piece(piece, environment) for piece in _stretches(_TEMPLATES.sub(_code_of, text)))
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


def _code_of(found: re.Match[str]) -> str:
    return found["code"] or ""


def _stretches(text: str) -> Iterator[str]:
    at = 0
    while len(text) - at > _PIECE:
        ends = [found.end() for found in _END.finditer(text, at, at + _PIECE)]
        until = ends[-1] if ends else at + _PIECE
        yield text[at:until]
        at = until
    yield text[at:]


def _of_piece(text: str, environment: Environment) -> str:
    if len(_HAS_MARKS.findall(text)) > _MOST_MARKS:
        return shown(text)
    tokens: list[Token] = []
    parser().inline.parse(text, parser(), environment, tokens)
    ends = text[len(text.rstrip()) :]
    return "".join(map(_of_token, tokens)) + ends


def _of_token(token: Token) -> str:
    if token.type in _BREAKS:
        return "\n"
    if token.type == "html_inline":
        return "\n" if token.content.lower().startswith("<br") else ""
    if token.type == "code_inline" and not token.content.isalnum():
        # Where words of a program end is not told by blanks.
        return f"{token.markup}{token.content}{token.markup}"
    return "" if token.type == "image" else token.content

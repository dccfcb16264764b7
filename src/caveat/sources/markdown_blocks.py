"""The blocks of a Markdown text, as tokens of markdown-it: CommonMark, and tables of GitHub's flavour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block, paragraph, table
from markdown_it.token import Token

from caveat.core.cancellation import checkpoint

__all__ = ["Environment", "block_tokens", "parser"]

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

"""The lines of a text as spans, whatever ends them."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["indent_of", "line_spans", "trimmed"]

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_TAB = 4


def line_spans(text: str) -> Iterator[tuple[int, int]]:
    """The half-open spans of the lines, without LF, CRLF or CR."""
    at = 0
    while at < len(text):
        line = _LINE.match(text, at)
        if line is None:
            return
        yield line.span(1)
        at = line.end()


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without blanks at its ends; empty where there is nothing else."""
    piece = text[start:end]
    end = start + len(piece.rstrip())
    return min(start + len(piece) - len(piece.lstrip()), end), end


def indent_of(text: str, start: int) -> int:
    """The columns of blank before the first mark of the line that has `start` in it; a tab counts as four."""
    # Step by step: elements begin near the beginning of their line, and a search might go on to the text's.
    line = start
    while line and text[line - 1] not in "\r\n":
        line -= 1
    columns = 0
    for character in text[line:start]:
        if not character.isspace():
            break
        columns += _TAB if character == "\t" else 1
    return columns

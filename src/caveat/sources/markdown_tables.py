"""Pipe tables of Markdown files, each with the heading over it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caveat.sources.plain_text import line_spans

__all__ = ["RawMarkdownTable", "markdown_tables"]

RawMarkdownTable = tuple[str, list[list[str]]]
"""The heading over a table, and its rows, of which the first is the header."""

_DASHES = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_BAR = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_MARKS = re.compile(r"(\*\*|__|~~|`+|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*]))")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def markdown_tables(text: str) -> Iterator[RawMarkdownTable]:
    """The tables of a text in their order; what stands in fenced code is none."""
    lines = [text[start:end] for start, end in line_spans(text)]
    heading, fence = "", ""
    at = 0
    while at < len(lines):
        line = _QUOTE.sub("", lines[at], count=1)
        at += 1
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
            continue
        if fence:
            continue
        if found := _HEADING.match(line):
            heading = _plain(found[1])
        elif "|" in line and at < len(lines) and "|" in (below := _QUOTE.sub("", lines[at], count=1)):
            header = _cells(line)
            if _DASHES.match(below) is None or len(_cells(below)) != len(header):
                continue
            rows = [header]
            at += 1
            while at < len(lines) and "|" in (row := _QUOTE.sub("", lines[at], count=1)):
                # GitHub's rule: cells beyond the header's are dropped; here none is, as in every other format.
                rows.append(_cells(row))
                at += 1
            yield heading, rows


def _cells(line: str) -> list[str]:
    line = line.strip()
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [_plain(cell) for cell in _BAR.split(line)]


def _plain(text: str) -> str:
    """The words without marks for bold, code and links."""
    text = _LINK.sub(r"\1", _BREAK.sub(" ", text))
    return " ".join(_MARKS.sub("", text).replace("\\|", "|").split())

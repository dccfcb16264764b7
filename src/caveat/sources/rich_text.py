"""reStructuredText as HTML, by docutils, and rich text (.rtf) as plain text, by striprtf.

Runs in the process of the parsers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

from caveat.core.errors import InputError, one_line
from caveat.sources.contents import Piece, Pieces

# Nothing is taken from other files, nothing is run, and what is odd is no part of the text.
_SETTINGS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "output_encoding": "unicode",
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "doctitle_xform": False,
    "initial_header_level": 1,
    # A paragraph may be one line; how long all of it may take is limited elsewhere.
    "line_length_limit": sys.maxsize,
}
_MOST_NAMED, _LONGEST_NAME = 5, 60


def read_restructured(data: bytes) -> Pieces:
    """The text, headings, lists and tables of UTF-8 in reStructuredText."""
    from docutils.core import publish_string

    messages: list[Any] = []
    page = publish_string(
        data.decode("utf-8"),
        reader=_reader(messages.append),
        parser="restructuredtext",
        writer="html5",
        settings_overrides=_SETTINGS,
    )
    return Pieces("", [Piece("html", str(page))], _left_out(messages))


def _reader(told: Callable[[Any], None]) -> Any:
    """A reader of docutils that tells what is said about a text, also where it is no part of the page."""
    from docutils.readers.standalone import Reader

    class Observed(Reader):  # type: ignore[misc]
        def new_document(self) -> Any:
            document = super().new_document()
            document.reporter.attach_observer(told)
            return document

    return Observed()


def _left_out(messages: list[Any]) -> str:
    """What docutils shows in a message instead of in the text: other files, directives of Sphinx, broken tables."""
    from docutils.nodes import literal_block

    blocks = [block.astext() for message in messages for block in message.findall(literal_block)]
    if not blocks:
        return ""
    names = [one_line(block.removeprefix(".. ").partition("\n")[0], _LONGEST_NAME) for block in blocks]
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return f"left out, since other files and unknown directives are not read: {', '.join(names[:_MOST_NAMED])}{more}"


_CODE_PAGE = re.compile(rb"\\ansicpg(\d{3,5})")
_CELLS = re.compile(r"^.*\|[ \t]*$")


def read_rtf(data: bytes) -> Pieces:
    """The text, a line a paragraph; rows of tables have a bar after each cell."""
    from striprtf.striprtf import rtf_to_text

    found = _CODE_PAGE.search(data, 0, 1 << 12)
    encoding = f"cp{int(found[1])}" if found else "cp1252"
    try:
        text: str = rtf_to_text(data.decode("latin-1"), encoding=encoding, errors="replace")  # type: ignore[no-untyped-call]
    except LookupError:
        raise InputError(f"is in the encoding {encoding}, which is not known") from None
    lines = [line.rstrip(" |\t") if _CELLS.match(line) else line.rstrip() for line in text.split("\n")]
    return Pieces("", [Piece("plain text", "\n".join(lines).strip("\n"))])

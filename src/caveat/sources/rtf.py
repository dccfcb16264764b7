"""Rich text (.rtf) as plain text: paragraphs and the cells of tables. Runs in the process of the parsers."""

from __future__ import annotations

import re

from caveat.core.errors import InputError
from caveat.sources.contents import Piece, Pieces

__all__ = ["read_rtf"]

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

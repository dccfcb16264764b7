"""Text of the data as part of a message: on one line, harmless to a terminal, and not too long."""

from __future__ import annotations

__all__ = ["one_line"]

# Control characters, the escape that begins terminal codes among them, and Unicode's own line ends.
_ESCAPES = {
    code: chr(code).encode("unicode_escape").decode("ascii")
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
}


def one_line(text: str, longest: int) -> str:
    """The text with control characters escaped, its middle left out if it is longer than `longest`."""
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 3 :]}"
    return text.translate(_ESCAPES)

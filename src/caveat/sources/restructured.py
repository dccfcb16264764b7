"""reStructuredText as HTML, by docutils. Runs in the process of the parsers."""

from __future__ import annotations

from caveat.sources.contents import Piece, Pieces

__all__ = ["read_restructured"]

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
}


def read_restructured(data: bytes) -> Pieces:
    """The text, headings, lists and tables of UTF-8 in reStructuredText."""
    from docutils.core import publish_string

    page = publish_string(data.decode("utf-8"), writer="html5", settings_overrides=_SETTINGS)
    return Pieces("", [Piece("html", str(page))])

"""Jupyter notebooks: their texts, their code, and what it printed or showed as a table."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from caveat.core.errors import InputError
from caveat.sources.contents import Piece, Pieces

__all__ = ["read_notebook"]

# As nbformat has it: one string, or its lines.
_Text = str | list[str]


class _Output(msgspec.Struct):
    output_type: str = ""
    text: _Text = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict)


class _Cell(msgspec.Struct):
    cell_type: str = ""
    source: _Text = ""
    outputs: list[_Output] = msgspec.field(default_factory=list)


class _Notebook(msgspec.Struct):
    cells: list[_Cell]


def read_notebook(data: bytes) -> Pieces:
    """The cells in their order; pictures and errors are not read."""
    try:
        notebook = msgspec.json.decode(data, type=_Notebook)
    except msgspec.DecodeError as error:
        raise InputError(f"cannot be read as a notebook: {error}") from error
    pieces: list[Piece] = []
    for cell in notebook.cells:
        markup: Literal["markdown", "plain text"] = (
            "markdown" if cell.cell_type == "markdown" else "plain text"
        )
        pieces.append(Piece(markup, _joined(cell.source)))
        pieces += map(_shown, cell.outputs)
    return Pieces("", [piece for piece in pieces if piece.text.strip()])


def _shown(output: _Output) -> Piece:
    if (page := _of_data(output, "text/html")) and "<table" in page:
        return Piece("html", page)
    return Piece("plain text", _joined(output.text) or _of_data(output, "text/plain"))


def _of_data(output: _Output, kind: str) -> str:
    value = output.data.get(kind, "")
    return _joined(value) if isinstance(value, str | list) else ""


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(map(str, text))

"""The readers of the kinds of files (see `kinds`): bytes and path in, `Contents` out, each a few lines.

What parses PDF, office files and their like runs in a process of its own.
"""

from __future__ import annotations

import re
from typing import Any

from caveat.core.encoding import declared_encoding, decode
from caveat.core.errors import InputError
from caveat.core.extras import extra_command
from caveat.core.guessing import guessed
from caveat.sources.contents import (
    Contents,
    Markup,
    Member,
    Pieces,
    assembled,
    name_of_file,
    numbered,
    read_markup,
)
from caveat.sources.grid import RawTable, ReadTable, read_table
from caveat.sources.parser_process import is_installed, parse_apart

# The names that spreadsheets give, which say nothing.
_NAMELESS = re.compile(r"(?:sheet|table|tabelle|feuil|feuille|hoja|工作表|表)\s*\d*", re.IGNORECASE)


def plain_text(data: bytes, path: str) -> Contents:
    return _text("plain text", data, path)


def markdown(data: bytes, path: str) -> Contents:
    return _text("markdown", data, path)


def html(data: bytes, path: str) -> Contents:
    return _text("html", data, path)


def restructured(data: bytes, path: str) -> Contents:
    """By docutils where it is installed; the text is readable without it."""
    text, remark = _decoded(data, path)
    if is_installed("restructured"):
        contents = assembled(parse_apart("restructured", text.encode("utf-8"), Pieces), path)
        return contents._replace(remark="; ".join(filter(None, (remark, contents.remark))))
    said = f"read as plain text: {extra_command('rst')} to read its headings, lists and tables"
    document, _, _ = read_markup("plain text", text, "")
    return Contents(document, remark="; ".join(filter(None, (remark, said))))


def pdf(data: bytes, path: str) -> Contents:
    from caveat.sources.pdf import assemble_pdf
    from caveat.sources.pdf_pages import Pages

    document = assemble_pdf(parse_apart("pdf", data, Pages))
    if not document.text:
        raise InputError(
            "is scanned: it has no text in it, only pictures, so text recognition has to come first"
        )
    return Contents(document)


def word(data: bytes, path: str) -> Contents:
    return assembled(parse_apart("word", data, Pieces), path)


def slides(data: bytes, path: str) -> Contents:
    return assembled(parse_apart("slides", data, Pieces), path)


def open_document(data: bytes, path: str) -> Contents:
    return assembled(parse_apart("open document", data, Pieces), path)


def epub(data: bytes, path: str) -> Contents:
    return assembled(parse_apart("epub", data, Pieces), path)


def rtf(data: bytes, path: str) -> Contents:
    return assembled(parse_apart("rtf", data, Pieces), path)


def mail(data: bytes, path: str) -> Contents:
    from caveat.sources.mail import Letter

    letter = parse_apart("mail", data, Letter)
    return assembled(letter.pieces, path)._replace(members=tuple(letter.attached))


def notebook(data: bytes, path: str) -> Contents:
    from caveat.sources.notebook import read_notebook

    return assembled(read_notebook(data), path)


def subtitles(data: bytes, path: str) -> Contents:
    from caveat.sources.subtitles import read_subtitles

    text, remark = _decoded(data, path)
    document = read_subtitles(text)
    if not document.text:
        raise InputError("has no subtitles in it")
    return Contents(document, remark=remark)


def comma_separated(data: bytes, path: str) -> Contents:
    return _delimited(data, path, ",")


def tab_separated(data: bytes, path: str) -> Contents:
    return _delimited(data, path, "\t")


def json(data: bytes, path: str) -> Contents:
    from caveat.sources.json_tables import decode_json, json_tables

    text, remark = _decoded(data, path)
    return Contents(tables=numbered(json_tables(decode_json(text), name_of_file(path)), path), remark=remark)


def workbook(data: bytes, path: str) -> Contents:
    from caveat.sources.spreadsheet import Sheet

    sheets = parse_apart("spreadsheet", data, list[Sheet])
    if not sheets:
        raise InputError("has no cells in it")
    name = name_of_file(path)
    tables: list[ReadTable] = []
    for sheet in sheets:
        caption = name if _NAMELESS.fullmatch(sheet.title) else ": ".join(filter(None, (name, sheet.title)))
        id = path if len(sheets) == 1 else f"{path}#{sheet.title}"
        table = read_table(sheet.rows(), caption=caption, id=id)
        tables += [table] if table is not None else []
    return Contents(tables=tuple(tables))


def archive(data: bytes, path: str) -> Contents:
    return Contents(members=tuple(parse_apart("archive", data, list[Member])))


def _decoded(data: bytes, path: str, declared: Any = None) -> tuple[str, str]:
    """A text, and that its encoding was guessed where it was."""
    text, guess = decode(data, path, declared)
    return text, "" if guess is None else guessed(guess)


def _text(markup: Markup, data: bytes, path: str) -> Contents:
    text, remark = _decoded(data, path, declared_encoding(data) if markup == "html" else None)
    document, tables, said = read_markup(markup, text, name_of_file(path))
    return Contents(document, numbered(tables, path, in_prose=True), "; ".join(filter(None, (remark, said))))


def _delimited(data: bytes, path: str, expected: str) -> Contents:
    from caveat.sources.delimited import read_delimited

    text, remark = _decoded(data, path)
    rows = read_delimited(text, expected=expected)
    return Contents(tables=numbered([RawTable(name_of_file(path), rows)], path), remark=remark)

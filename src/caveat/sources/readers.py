"""The readers of the kinds of files (see `kinds`): bytes and path in, `Contents` out, each a few lines.

What parses PDF, office files and their like runs in a process of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from caveat.core.encoding import declared_encoding, decode
from caveat.core.errors import InputError
from caveat.core.guessing import guessed
from caveat.core.limits import current_limits
from caveat.core.loading import extra_command
from caveat.sources.contents import (
    Contents,
    Markup,
    Member,
    Piece,
    Pieces,
    assembled,
    name_of_file,
    numbered,
    read_markup,
)
from caveat.sources.grid import RawTable, ReadTable, read_table
from caveat.sources.outline import assemble
from caveat.sources.parser_process import is_installed, parse_apart

if TYPE_CHECKING:
    from caveat.sources.pdf import Pdf

_MOST_NAMED = 8
# The names that spreadsheets give, which say nothing.
_NAMELESS = re.compile(r"(?:sheet|table|tabelle|feuil|feuille|hoja|工作表|表)\s*\d*", re.IGNORECASE)


def plain_text(data: bytes, path: str) -> Contents:
    """A chat of WhatsApp is a table too."""
    from caveat.sources.dated_entries import read_chat

    contents = _text("plain text", data, path)
    document = contents.document
    chat = read_chat(document.text, name_of_file(path)) if document is not None else None
    return contents if chat is None else contents._replace(tables=numbered([chat], path))


def markdown(data: bytes, path: str) -> Contents:
    return _text("markdown", data, path)


def mdx(data: bytes, path: str) -> Contents:
    return _text("mdx", data, path)


def html(data: bytes, path: str) -> Contents:
    return _text("html", data, path)


def org(data: bytes, path: str) -> Contents:
    return _marked_up("org", data, path)


def asciidoc(data: bytes, path: str) -> Contents:
    return _marked_up("asciidoc", data, path)


def wiki(data: bytes, path: str) -> Contents:
    return _marked_up("wiki", data, path)


def latex(data: bytes, path: str) -> Contents:
    return _marked_up("latex", data, path)


def _marked_up(parser: str, data: bytes, path: str) -> Contents:
    text, remark = _decoded(data, path)
    contents = assembled(parse_apart(parser, text.encode("utf-8"), Pieces), path)
    return contents._replace(remark="; ".join(filter(None, (remark, contents.remark))))


def restructured(data: bytes, path: str) -> Contents:
    """By docutils where it is installed; the text is readable without it."""
    if is_installed("restructured"):
        return _marked_up("restructured", data, path)
    text, remark = _decoded(data, path)
    said = f"read as plain text: {extra_command('rst')} to read its headings, lists and tables"
    document, _, _ = read_markup("plain text", text, "")
    return Contents(document, remark="; ".join(filter(None, (remark, said))))


def pdf(data: bytes, path: str) -> Contents:
    """Pages that are pictures are recognised where RapidOCR is installed."""
    from caveat.sources.pdf import Pdf

    found = parse_apart("pdf", data, Pdf)
    if found.scanned and is_installed("scanned pdf"):
        found = parse_apart("scanned pdf", data, Pdf)
    elif found.scanned and not found.blocks:
        raise InputError(
            f"is scanned: it has pictures of pages and no text: {extra_command('ocr')} to read it"
        )
    return _laid_out(found, path)


def picture(data: bytes, path: str) -> Contents:
    """A photograph or a scan, by RapidOCR."""
    from caveat.sources.pdf import Pdf

    if not is_installed("picture"):
        raise InputError(f"is a picture: {extra_command('ocr')} to read the text in it")
    return _laid_out(parse_apart("picture", data, Pdf), path)


def _laid_out(found: Pdf, path: str) -> Contents:
    document = assemble(found.blocks, title=found.title)
    if not document.text:
        raise InputError("has no text in it")
    tables = [table._replace(caption=table.caption or name_of_file(path)) for table in found.tables]
    return Contents(
        document,
        numbered(tables, path, in_prose=True),
        "; ".join(filter(None, (found.remark, _of_unread(found.scanned)))),
    )


def _of_unread(pages: list[int]) -> str:
    """What is said of pages that are pictures and were not recognised."""
    if not pages:
        return ""
    named = ", ".join(map(str, pages[:_MOST_NAMED])) + ", …" * (len(pages) > _MOST_NAMED)
    why = (
        f"recognising them takes longer than the limit `seconds` = {current_limits().seconds:,}"
        if is_installed("scanned pdf")
        else f"{extra_command('ocr')} to read them"
    )
    are = "s are pictures and were" if len(pages) > 1 else " is a picture and was"
    return f"{len(pages):,} page{are} not read ({named}): {why}"


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


def mailbox(data: bytes, path: str) -> Contents:
    from caveat.sources.mail import Letter

    letters = parse_apart("mailbox", data, Letter)
    return assembled(letters.pieces, path)._replace(members=tuple(letters.attached))


def notebook(data: bytes, path: str) -> Contents:
    return assembled(read_notebook(data), path)


def subtitles(data: bytes, path: str) -> Contents:
    from caveat.sources.dated_entries import read_subtitles

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
    from caveat.sources.dated_entries import read_slack
    from caveat.sources.delimited import decode_json, json_tables

    text, remark = _decoded(data, path)
    value, name = decode_json(text), name_of_file(path)
    chat = read_slack(value, name)
    return Contents(
        tables=numbered([chat] if chat is not None else json_tables(value, name), path), remark=remark
    )


def calendar(data: bytes, path: str) -> Contents:
    from caveat.sources.dated_entries import read_calendar

    text, remark = _decoded(data, path)
    return Contents(tables=numbered([read_calendar(text, name_of_file(path))], path), remark=remark)


def workbook(data: bytes, path: str) -> Contents:
    from caveat.sources.spreadsheet import Sheet

    sheets = parse_apart("spreadsheet", data, list[Sheet])
    if not sheets:
        raise InputError("has no cells in it")
    name = name_of_file(path)
    tables: list[ReadTable] = []
    seen: Counter[str] = Counter()
    for sheet in sheets:
        seen[sheet.title] += 1
        caption = name if _NAMELESS.fullmatch(sheet.title) else ": ".join(filter(None, (name, sheet.title)))
        several = f" {seen[sheet.title]}" if seen[sheet.title] > 1 else ""
        id = path if len(sheets) == 1 else f"{path}#{sheet.title}{several}"
        table = read_table(sheet.rows(), caption=caption, id=id)
        tables += [table] if table is not None else []
    return Contents(tables=tuple(tables), remark="; ".join(filter(None, (sheet.remark for sheet in sheets))))


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
        pieces.append(Piece(markup, _joined_lines(cell.source)))
        pieces += map(_shown, cell.outputs)
    return Pieces("", [piece for piece in pieces if piece.text.strip()])


def _shown(output: _Output) -> Piece:
    if (page := _of_data(output, "text/html")) and "<table" in page:
        return Piece("html", page)
    return Piece("plain text", _joined_lines(output.text) or _of_data(output, "text/plain"))


def _of_data(output: _Output, kind: str) -> str:
    value = output.data.get(kind, "")
    return _joined_lines(value) if isinstance(value, str | list) else ""


def _joined_lines(text: Any) -> str:
    return text if isinstance(text, str) else "".join(map(str, text))

"""The parts of office files and archives: opened within limits, their XML, and the HTML that is written of it.

Used in the process of the parsers alone. XML has no definitions. Of an archive nothing is written anywhere; names that
lead out of it are refused all the same, since answers show them.
"""

from __future__ import annotations

import io
import posixpath
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.sources.contents import Member

_FAULTS = (BadZipFile, KeyError, ValueError, OSError, EOFError, zlib.error, NotImplementedError, RuntimeError)
_RELATED = "relationships}"
_ENCRYPTED, _UTF_8 = 0x1, 0x800
_OUTSIDE = re.compile(r"(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\]|^[A-Za-z]:|[\x00-\x1f]")
# What macOS puts into every archive, and what programs hide.
_HIDDEN = re.compile(r"(?:^|/)(?:__MACOSX/|\.(?!\.?/)|~\$)")


@contextmanager
def opened(data: bytes, what: str) -> Iterator[ZipFile]:
    """The archive that is these bytes; `what` it is to be is said where it cannot be read."""
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            _refuse_bomb(archive)
            yield archive
    except ElementTree.ParseError as error:
        raise InputError(f"cannot be read as {what}: {error}") from error
    except InputError:
        raise
    except _FAULTS as error:
        raise InputError(f"cannot be read as {what}: {error}") from error


def _refuse_bomb(archive: ZipFile) -> None:
    """No file in an archive gives more bytes than the archive says, and only the usual ways to pack are unpacked."""
    most = current_limits()
    members = archive.infolist()
    if len(members) > most.files:
        raise over("files", f"holds {len(members):,} files")
    if sum(member.file_size for member in members) > most.source_bytes:
        raise over("source_bytes", f"holds more than {most.source_bytes:,} bytes, uncompressed")
    if any(member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for member in members):
        raise InputError("is packed in a way that is not read: pack it as a plain zip file and ask again")


def part(archive: ZipFile, name: str) -> ElementTree.Element | None:
    """The XML of one of its files, or nothing where it has none of that name."""
    return parse_xml(archive.read(name)) if name in archive.NameToInfo else None


def parse_xml(data: bytes) -> ElementTree.Element:
    """A tree in which names have no namespaces; what relates to another file begins with `r:`.

    Definitions are refused: those of entities are how a small file becomes a huge one, or another file.
    """
    _refuse_definitions(data)
    root = ElementTree.fromstring(data)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        if element.attrib:
            element.attrib = {_local(name): value for name, value in element.attrib.items()}
    return root


def _local(name: str) -> str:
    home, _, local = name.rpartition("}")
    return f"r:{local}" if f"{home}}}".endswith(_RELATED) else local


def _refuse_definitions(data: bytes) -> None:
    def refuse(*_: object) -> None:
        raise InputError("has definitions in its XML, which no office program writes")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(f"is damaged: {error}") from error


def relations(archive: ZipFile, name: str) -> dict[str, tuple[str, str]]:
    """What a file inside is related to: the kind and the name of each other file, by the id that it is referred to."""
    folder, file = posixpath.split(name)
    root = part(archive, posixpath.join(folder, "_rels", f"{file}.rels"))
    found: dict[str, tuple[str, str]] = {}
    for each in root if root is not None else ():
        target = each.get("Target") or ""
        if each.get("TargetMode") != "External":
            place = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
            found[each.get("Id") or ""] = (
                (each.get("Type") or "").rpartition("/")[2],
                posixpath.normpath(place),
            )
    return found


def title_of(archive: ZipFile, name: str) -> str:
    """The title that the file says of itself, in the part of this name."""
    root = part(archive, name)
    found = None if root is None else root.find(".//title")
    return " ".join((found.text or "").split()) if found is not None else ""


def read_archive(data: bytes) -> list[Member]:
    """The files of an archive, by name; folders and hidden files are left out, as in a folder."""
    with opened(data, "a zip archive") as archive:
        members = [
            each for each in archive.infolist() if not each.is_dir() and not _HIDDEN.search(each.filename)
        ]
        return [_member(archive, each) for each in sorted(members, key=lambda each: each.filename)]


def _name(member: ZipInfo) -> str:
    """The name as it was written: zip programs of Chinese systems use GB18030, and do not say so."""
    if member.flag_bits & _UTF_8 or member.filename.isascii():
        return member.filename
    written = member.filename.encode("cp437", "replace")
    for encoding in ("utf-8", "gb18030"):
        try:
            return written.decode(encoding)
        except UnicodeDecodeError:
            continue
    return member.filename


def _member(archive: ZipFile, member: ZipInfo) -> Member:
    name = _name(member)
    if _OUTSIDE.search(name):
        return Member(name, problem="has a name that leads out of the archive")
    if member.flag_bits & _ENCRYPTED:
        return Member(name, problem="needs a password: save it without one and ask again")
    return Member(name, archive.read(member))


# As in HTML.
_LOWEST_HEADING = 6
# Deeper lists are a mistake, or made to fill the memory.
_DEEPEST = 32


class Cell(NamedTuple):
    """What stands in a cell, as HTML, and how many rows and columns it takes."""

    html: str
    rows: int = 1
    columns: int = 1
    header: bool = False


def span_of(number: str | None) -> int:
    """How many rows or columns a cell takes; 1 where that is not said, or not a number."""
    return max(1, int(number)) if number is not None and number.isdecimal() else 1


def table_html(rows: list[list[Cell]]) -> str:
    """A table of these rows."""
    return "<table>" + "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows) + "</table>"


def _cell(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = f' rowspan="{cell.rows}"' * (cell.rows > 1) + f' colspan="{cell.columns}"' * (cell.columns > 1)
    return f"<{tag}{spans}>{cell.html}</{tag}>"


class Writer:
    """Takes what stands below each other, in order; list items next to each other become lists."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self._open = 0

    def paragraph(self, html: str) -> None:
        self._block("p", html)

    def heading(self, level: int, html: str) -> None:
        self._block(f"h{min(max(level, 1), _LOWEST_HEADING)}", html)

    def raw(self, html: str) -> None:
        """Something that ends a list, such as a table."""
        self._close(0)
        self._written.append(html)

    def item(self, depth: int, html: str) -> None:
        """A list item inside of `depth` others."""
        if not html.strip():
            return
        depth = min(max(depth, 0), _DEEPEST)
        self._close(depth + 1)
        if self._open == depth + 1:
            self._written.append("</li><li>")
        while self._open <= depth:
            self._written.append("<ul><li>")
            self._open += 1
        self._written.append(html)

    def _block(self, tag: str, html: str) -> None:
        if html.strip():
            self.raw(f"<{tag}>{html}</{tag}>")

    def _close(self, depth: int) -> None:
        while self._open > depth:
            self._written.append("</li></ul>")
            self._open -= 1

    def html(self, title: str = "") -> str:
        """All of it."""
        self._close(0)
        head = f"<title>{escape(title)}</title>" if title else ""
        return f"<!doctype html>{head}<body>{''.join(self._written)}"

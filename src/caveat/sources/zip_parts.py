"""Zip files, as office programs and archives write them: opened within limits, their XML without any definitions.

Used in the process of the parsers alone. Of an archive nothing is written anywhere; names that lead out of it are
refused all the same, since answers show them.
"""

from __future__ import annotations

import io
import posixpath
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
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

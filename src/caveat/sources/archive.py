"""Zip archives: the files in them. Runs in the process of the parsers.

Nothing is written anywhere; names that lead out of the archive are refused all the same, since answers show them.
"""

from __future__ import annotations

import re
from zipfile import ZipFile, ZipInfo

from caveat.sources.contents import Member
from caveat.sources.zip_parts import opened

__all__ = ["read_archive"]

_ENCRYPTED, _UTF_8 = 0x1, 0x800
_OUTSIDE = re.compile(r"(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\]|^[A-Za-z]:|[\x00-\x1f]")
# What macOS puts into every archive, and what programs hide.
_HIDDEN = re.compile(r"(?:^|/)(?:__MACOSX/|\.(?!\.?/)|~\$)")


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

"""Zip archives: the files in them. Runs in the process of the parsers.

Nothing is written anywhere; names that lead out of the archive are refused all the same, since answers show them.
"""

from __future__ import annotations

import re
from zipfile import ZipFile, ZipInfo

from caveat.sources.contents import Member
from caveat.sources.zip_parts import opened

__all__ = ["read_archive"]

_ENCRYPTED = 0x1
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


def _member(archive: ZipFile, member: ZipInfo) -> Member:
    name = member.filename
    if _OUTSIDE.search(name):
        return Member(name, problem="has a name that leads out of the archive")
    if member.flag_bits & _ENCRYPTED:
        return Member(name, problem="needs a password: save it without one and ask again")
    return Member(name, archive.read(member))

"""A data set as it is published: a folder of files, a tar archive of them, or a single file."""

from __future__ import annotations

import io
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike, open_bytes, read_bytes

__all__ = ["Member", "is_collection", "members"]

_NUMBER = re.compile(r"([0-9]+)")


class Member(msgspec.Struct, frozen=True):
    """A file of a data set: its name within it, the place to name in errors, and its content as UTF-8."""

    name: str
    path: str
    data: bytes


def is_collection(path: PathLike) -> bool:
    """Whether the path is a folder or a tar archive (gzipped or not), rather than a single file."""
    if str(path) == "-":
        return False
    if Path(path).is_dir():
        return True
    with open_bytes(path) as stream:
        try:
            return cast(io.BufferedReader, stream).peek(512)[257:262] == b"ustar"
        except (OSError, EOFError, zlib.error):
            return False  # a damaged file: whoever reads it says so


def members(path: PathLike) -> Iterator[Member]:
    """The files of a folder in the order of their names (2 before 10), those of an archive in its own order.

    Hidden files, such as those a desktop leaves behind, are passed over.
    """
    if not is_collection(path):
        yield Member(Path(path).name, str(path), read_bytes(path))
    elif Path(path).is_dir():
        root = Path(path)
        files = [found for found in root.rglob("*") if found.is_file()]
        for name in sorted((str(found.relative_to(root).as_posix()) for found in files), key=natural_order):
            if not _hidden(name):
                yield Member(name, str(root / name), read_bytes(root / name))
    else:
        yield from _archived(path)


def natural_order(name: str) -> list[tuple[bool, int, str]]:
    """A key that sorts numbers within names by their value."""
    return [
        (not part.isdecimal(), int(part) if part.isdecimal() else 0, part)
        for part in _NUMBER.split(name)
        if part
    ]


def _hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/") if part != ".")


def _archived(path: PathLike) -> Iterator[Member]:
    with open_bytes(path) as stream:
        try:
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for entry in archive:
                    content = archive.extractfile(entry) if entry.isfile() else None
                    if content is None or _hidden(entry.name):
                        continue
                    place = f"{path}/{entry.name.removeprefix('./')}"
                    yield Member(entry.name.removeprefix("./"), place, _utf8(content.read(), place))
        except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
            raise InputError(f"the archive is damaged: {error}", path=path) from error


def _utf8(data: bytes, place: str) -> bytes:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {data[error.start]:#04x})", path=place) from None
    return data.removeprefix(b"\xef\xbb\xbf")

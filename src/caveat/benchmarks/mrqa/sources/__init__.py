"""A data set as it is published: a folder, a tar archive or a single file, and its JSON records in any usual layout.

A record is decoded when it is needed, so that a file of a list is never held as decoded objects.
"""

from __future__ import annotations

import io
import json
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike, open_bytes, read_bytes, read_lines
from caveat.core.json_files import convert, decode
from caveat.core.limits import current_limits, over

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
                    if entry.size > (most := current_limits().data_bytes):
                        raise over("data_bytes", f"holds more than {most:,} bytes, uncompressed", path=place)
                    yield Member(entry.name.removeprefix("./"), place, _utf8(content.read(), place))
        except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
            raise InputError(f"the archive is damaged: {error}", path=path) from error


def _utf8(data: bytes, place: str) -> bytes:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {data[error.start]:#04x})", path=place) from None
    return data.removeprefix(b"\xef\xbb\xbf")


T = TypeVar("T")

_SPACE = re.compile(r"\s*")


class Record(msgspec.Struct, frozen=True):
    """One JSON value of a file; `number` counts from 1, `line` is set where the value begins a line."""

    raw: bytes
    path: PathLike
    number: int
    line: int | None = None

    def fields(self) -> frozenset[str]:
        """The names of an object's fields, which tell the layout; none for any other value."""
        try:
            return frozenset(msgspec.json.decode(self.raw, type=dict[str, msgspec.Raw]))
        except (msgspec.MsgspecError, RecursionError):
            decode(self.raw, object, path=self.path, line=self.line)  # raises, unless this is another value
            return frozenset()

    def to(self, kind: type[T]) -> T:
        """The record as a value of the type `kind`."""
        try:
            return msgspec.json.decode(self.raw, type=kind)
        except (msgspec.MsgspecError, RecursionError):
            raw: Any = decode(self.raw, object, path=self.path, line=self.line)
        try:
            return convert(raw, kind, path=self.path, line=self.line)
        except InputError as error:
            if error.line is not None or error.id is not None:
                raise
            raise InputError(f"{error.problem} in record {self.number}", path=self.path) from None

    def items(self, field: str) -> Iterator[Record]:
        """The items of the list in one of the object's fields, each as a record."""
        raw = bytes(self.to(dict[str, msgspec.Raw]).get(field, b""))
        if raw.lstrip()[:1] != b"[":
            raise InputError(f"expected a list in `{field}`", path=self.path, line=self.line)
        yield from _items(raw, self.path)


def open_records(path: PathLike) -> tuple[frozenset[str], Iterator[Record]]:
    """The field names of a file's first record, which tell its layout, and the records, as a stream."""
    return records_in(read_lines(path), path)


def records_in(lines: Iterable[tuple[int, str]], path: PathLike) -> tuple[frozenset[str], Iterator[Record]]:
    """The same for numbered lines that have been read already."""
    records = _records(iter(lines), path)
    first = next(records, None)
    if first is None:
        raise InputError("has no records, expected JSON", path=path)
    return first.fields(), chain([first], records)


def _records(lines: Iterator[tuple[int, str]], path: PathLike) -> Iterator[Record]:
    number = 0
    for line, text in _values(lines, path):
        if text.lstrip()[:1] == "[":
            yield from _items(text, path)
        else:
            number += 1
            yield Record(text.encode(), path, number, line)


def _items(text: str | bytes, path: PathLike) -> Iterator[Record]:
    for number, item in enumerate(decode(text, list[msgspec.Raw], path=path), start=1):
        yield Record(bytes(item), path, number)


def _values(lines: Iterator[tuple[int, str]], path: PathLike) -> Iterator[tuple[int | None, str]]:
    """The text of each JSON value; a line that is only the beginning of one means that they go over lines."""
    one_a_line = False
    for number, line in lines:
        if not line or line.isspace():
            continue
        try:
            msgspec.json.decode(line, type=msgspec.Raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if "truncated" not in str(error):
                decode(line, object, path=path, line=number)  # raises, with the place
            text = "\n".join([line, *(text for _, text in lines)])
            yield from _over_lines(text, number, path, one_a_line)
            return
        one_a_line = True
        yield number, line


def _over_lines(text: str, line: int, path: PathLike, after_lines: bool) -> Iterator[tuple[int | None, str]]:
    """The values of a text that begins on `line`; `after_lines` if the lines before it held one value each."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    else:
        yield None, text
        return
    decoder = json.JSONDecoder()
    end, begins = 0, line
    while (start := _skip_space(text, end)) < len(text):
        begins += text.count("\n", end, start)
        try:
            _, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            if after_lines and begins == line:
                # The fault is seen on the next line; it is this one that is broken.
                decode(text.partition("\n")[0], object, path=path, line=line)
            problem = f"broken JSON: {error.msg[:1].lower()}{error.msg[1:]} (column {error.colno})"
            raise InputError(problem, path=path, line=line + error.lineno - 1) from None
        except (ValueError, RecursionError):
            problem = "the JSON is nested too deeply, or a number in it has too many digits"
            raise InputError(problem, path=path, line=begins) from None
        yield begins, text[start:end]
        begins += text.count("\n", start, end)


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at

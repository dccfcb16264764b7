"""Files as they come: gzip anywhere, any encoding, LF or CRLF, `-`; and writing that never leaves half a file."""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import sleep, time_ns
from typing import IO, BinaryIO, TextIO, cast

from caveat.core.errors import CaveatError, InputError
from caveat.core.guessing import encoding_name, guess_encoding, warn_of_guess
from caveat.core.limits import checkpoint, current_limits, over
from caveat.core.part_files import part_file

PathLike = str | Path

_GZIP_MAGIC = b"\x1f\x8b"
BLOCK = 1 << 20
"""About how many bytes are read at once."""
READ_FAULTS = (OSError, EOFError, zlib.error)
"""What reading a file raises that may be gzipped."""


# How often a file is read that changes under the reader, and the seconds in between.
_ATTEMPTS = 4
_PAUSE = 0.1
# Whoever writes a file pauses between two blocks, in which it looks as if it were complete: so many nanoseconds after
# the last of them it is taken to be.
_SETTLED = 20_000_000
_CHANGED = "changes while it is read: ask again when it is written"


@contextmanager
def open_bytes(path: PathLike) -> Iterator[BinaryIO]:
    """The uncompressed bytes of a file, or of standard input for `-`; compression is told by content, not by name."""
    if str(path) == "-":
        stream = _standard_input()
    else:
        try:
            stream = open(path, "rb")  # noqa: SIM115 closed below
        except OSError as error:
            raise InputError(f"cannot be opened: {reason_of_system(error)}", path=path) from error
    try:
        try:
            head = cast("io.BufferedReader", stream).peek(2)[:2]
        except OSError as error:
            raise InputError(f"cannot be read: {reason_of_system(error)}", path=path) from error
        if head == _GZIP_MAGIC:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=stream))
        else:
            yield stream
    finally:
        if str(path) != "-":
            stream.close()


_spent: BinaryIO | None = None


def _standard_input() -> BinaryIO:
    """Standard input, which can be read only once: a second file that is `-` would be found empty."""
    global _spent
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("cannot be read: it is closed", path="-")
    stream = cast(BinaryIO, sys.stdin.buffer)
    if stream is _spent:
        raise InputError("has been read already: only one file can be standard input", path="-")
    _spent = stream
    return stream


def read_raw(path: PathLike, limit: str = "data_bytes") -> bytes:
    """The whole content, uncompressed, in whatever it is encoded; not more than the limit of that name.

    A file that is written meanwhile would be half old, half new: it is read again, and refused if it does not come to
    rest.
    """
    for attempt in range(_ATTEMPTS):
        if attempt:
            sleep(_PAUSE)
        before = _state(path)
        with open_bytes(path) as stream:
            try:
                data = _whole(stream, path, limit)
            except InputError:
                if _is_still(before, stream):
                    raise
                continue
            if _is_still(before, stream):
                return data
    raise InputError(_CHANGED, path=path)


def _state(path: PathLike | int) -> tuple[int, int, int] | None:
    """What is another once a file was written; nothing for pipes and devices, which cannot be read again."""
    if path == "-":
        return None
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # opening it says what is wrong
        return None
    return (found.st_size, found.st_mtime_ns, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _is_still(before: tuple[int, int, int] | None, stream: BinaryIO) -> bool:
    """Whether an open file is as it was, and stays so; one that was replaced under its name meanwhile is whole."""
    if before is None:
        return True
    age = time_ns() - before[1]
    if 0 <= age < _SETTLED:
        sleep((_SETTLED - age) / 1e9)
    return _state(stream.fileno()) == before


def uncompressed(data: bytes, path: PathLike, limit: str = "data_bytes") -> bytes:
    """What bytes hold that may be gzipped, in one member or several; not more than the limit of that name."""
    if not data.startswith(_GZIP_MAGIC):
        return data
    return _whole(cast(BinaryIO, gzip.GzipFile(fileobj=io.BytesIO(data))), path, limit)


def _whole(stream: BinaryIO, path: PathLike, limit: str) -> bytes:
    most = getattr(current_limits(), limit)
    blocks: list[bytes] = []
    size = 0
    while True:
        try:
            block = stream.read(BLOCK)
        except READ_FAULTS as error:
            raise InputError(read_fault(error), path=path) from error
        if not block:
            return b"".join(blocks)
        blocks.append(block)
        size += len(block)
        if size > most:
            raise over(limit, f"holds more than {most:,} bytes, uncompressed", path=path)


def read_bytes(path: PathLike) -> bytes:
    """The whole content, uncompressed, as UTF-8 without byte order mark, whatever it was encoded in."""
    data = read_raw(path).removeprefix(b"\xef\xbb\xbf")
    _refuse_zeros(data[:BLOCK], path)
    text, encoding = _decode_first(data, path, 0)
    return data if encoding == "utf-8" else text.encode("utf-8")


def read_text(path: PathLike) -> str:
    """The whole content as text; line ends become LF."""
    return read_bytes(path).decode("utf-8").replace("\r\n", "\n")


def read_lines(path: PathLike) -> Iterator[tuple[int, str]]:
    """Numbered lines without their line ends, as a stream: memory does not grow with the file."""
    for first, text in read_blocks(path):
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines, first):
            checkpoint()
            yield number, line.removesuffix("\r")


def read_blocks(path: PathLike) -> Iterator[tuple[int, str]]:
    """Whole lines, about a megabyte at a time, with the number of the first; their ends are as in the file."""
    number, encoding = 1, "ascii"
    for block in _blocks(path):
        if number == 1:
            _refuse_zeros(block[:BLOCK], path)
        try:
            text = block.decode(encoding)
        except UnicodeDecodeError:
            # The first bytes beyond ASCII settle the encoding for the rest of the file.
            if encoding == "ascii":
                text, encoding = _decode_first(block, path, number - 1)
            else:
                text = _decode_later(block, encoding, path, number - 1)
        yield number, text.removeprefix("\ufeff") if number == 1 else text
        number += block.count(b"\n")


def _blocks(path: PathLike) -> Iterator[bytes]:
    """The file in blocks that end at a line end (0x0A is never part of a longer character, in UTF-8 or GB18030)."""
    pending: list[bytes] = []
    lines = 0
    most = current_limits().data_bytes
    before = _state(path)
    with open_bytes(path) as stream:
        while True:
            try:
                block = stream.read(BLOCK)
            except READ_FAULTS as error:
                if not _is_still(before, stream):
                    raise InputError(_CHANGED, path=path) from error
                raise InputError(read_fault(error), path=path, line=lines + 1) from error
            if not block:
                # Not read again: what was read of it is given out already.
                if not _is_still(before, stream):
                    raise InputError(_CHANGED, path=path)
                break
            cut = block.rfind(b"\n") + 1
            if not cut:
                pending.append(block)
                if len(pending) * BLOCK > most:
                    raise over("data_bytes", f"has a line of more than {most:,} bytes", path=path)
                continue
            whole = b"".join([*pending, block[:cut]])
            pending = [block[cut:]]
            lines += whole.count(b"\n")
            yield whole
    if rest := b"".join(pending):
        yield rest


def _decode_first(block: bytes, path: PathLike, before: int) -> tuple[str, str]:
    """The text of the first lines that are not ASCII, and their encoding: UTF-8, or a guess, which is said."""
    try:
        return block.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        fault = error
    encoding = None if _is_damaged(block) else guess_encoding(block)
    if encoding is not None:
        try:
            text = block.decode(encoding)
        except UnicodeDecodeError:
            pass
        else:
            warn_of_guess(path, encoding)
            return text, encoding
    raise InputError(
        f"neither UTF-8 nor text in an encoding that can be told (byte {block[fault.start]:#04x})",
        path=path,
        line=before + block.count(b"\n", 0, fault.start) + 1,
    )


def _decode_later(block: bytes, encoding: str, path: PathLike, before: int) -> str:
    try:
        return block.decode(encoding)
    except UnicodeDecodeError as fault:
        raise InputError(
            f"not {encoding_name(encoding)} text, as the lines before are (byte {block[fault.start]:#04x})",
            path=path,
            line=before + block.count(b"\n", 0, fault.start) + 1,
        ) from None


def _refuse_zeros(beginning: bytes, path: PathLike) -> None:
    """UTF-16 of English text is ASCII with zeros between: it decodes, and everything after that goes wrong."""
    if 4 * beginning.count(b"\0") > len(beginning):
        problem = "not UTF-8 text: it is full of zero bytes, as UTF-16 is"
        raise InputError(problem, path=path, line=1)


def _is_damaged(block: bytes) -> bool:
    """Whether the bytes are UTF-8 with a few that are none."""
    as_utf8 = block.decode("utf-8", "replace")
    return len(as_utf8) - len(as_utf8.encode("ascii", "ignore")) > 3 * as_utf8.count("\ufffd")


def same_lines(name: str, expected: int, found: int, path: PathLike) -> None:
    """Raise unless a line-aligned file has as many lines as what it belongs to."""
    if expected != found:
        raise InputError(f"expected {expected:,} {name}, one a line, found {found:,}", path=path)


def read_fault(error: BaseException) -> str:
    """What is wrong with a file that could be opened."""
    if isinstance(error, EOFError):
        return "the gzip file is cut off: it ends before its end-of-stream marker"
    if isinstance(error, (gzip.BadGzipFile, zlib.error)):
        return f"the gzip file is damaged: {error}"
    return f"cannot be read: {reason_of_system(error)}"


def reason_of_system(error: BaseException) -> str:
    """What the operating system says is wrong, as part of a sentence."""
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)).lower()


@contextmanager
def writing(path: PathLike) -> Iterator[TextIO]:
    """A text file that appears under its name only when complete.

    It is gzipped if the name ends in `.gz`; `-` is standard output.
    """
    if str(path) == "-":
        if sys.stdout is None:
            raise CaveatError("Standard output cannot be written: it is closed.")
        yield sys.stdout
        sys.stdout.flush()
        return
    if is_device(path):
        with _straight(path) as stream:
            yield stream
        return
    # A link stays one: what it points to is written.
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with part_file(target) as (handle, temporary):
            with os.fdopen(handle, "wb") as raw:
                binary: IO[bytes] | gzip.GzipFile = raw
                if Path(path).suffix == ".gz":
                    # A fixed time stamp: the same content gives the same bytes.
                    binary = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6)
                with io.TextIOWrapper(cast(BinaryIO, binary), encoding="utf-8", newline="\n") as text:
                    yield text
                    text.flush()
                    if binary is not raw:
                        binary.close()
                    raw.flush()
                    os.fsync(raw.fileno())
            temporary.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
            os.replace(temporary, target)
    except OSError as error:
        raise CaveatError(f"{path} cannot be written: {reason_of_system(error)}") from error


def is_device(path: PathLike) -> bool:
    """Whether the path is a pipe or a device (/dev/null), which must be written to and never replaced."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


@contextmanager
def _straight(path: PathLike) -> Iterator[TextIO]:
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CaveatError(f"{path} cannot be written: {reason_of_system(error)}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_lines(path: PathLike, lines: Iterable[str]) -> None:
    """Write each line followed by LF; text that `read_lines` would not give back is refused."""
    with writing(path) as out:
        for number, line in enumerate(lines, 1):
            if "\n" in line or line.endswith("\r"):
                raise InputError(
                    f"text with a line break cannot be one line: {line[:80]!r}", path=path, line=number
                )
            if number == 1 and line.startswith("\ufeff"):
                raise InputError("text cannot begin with a byte order mark", path=path, line=number)
            out.write(line + "\n")


def read_rows(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """The columns of each tab-separated line, without quoting, with the line's number; empty lines are passed over."""
    for number, line in read_lines(path):
        if line:
            yield number, line.split("\t")


def write_rows(path: PathLike, rows: Iterable[Sequence[str]]) -> None:
    """One line a row; text with a tab or a line break is refused, since it would not come back as it was."""
    write_lines(path, (_tab_separated(row, path, number) for number, row in enumerate(rows, 1)))


def _tab_separated(row: Sequence[str], path: PathLike, number: int) -> str:
    line = "\t".join(row)
    if line.count("\t") != len(row) - 1:
        column = next(column for column in row if "\t" in column)
        raise InputError(f"text with a tab cannot be one column: {column[:80]!r}", path=path, line=number)
    return line

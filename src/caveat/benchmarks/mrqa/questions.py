"""MRQA contexts as a system under test gets them: context and questions, with gold answers or without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import decode, read_json_lines

__all__ = ["AskedContext", "AskedQuestion", "decode_asked", "read_asked"]


class AskedQuestion(msgspec.Struct, frozen=True):
    """A question and the id that its answer goes under."""

    qid: str
    question: str


class AskedContext(msgspec.Struct, frozen=True):
    """A context and the questions on it."""

    context: str
    qas: tuple[AskedQuestion, ...]


class _Line(msgspec.Struct):
    context: str | None = None
    qas: tuple[AskedQuestion, ...] | None = None
    header: dict[str, Any] | None = None


def read_asked(path: PathLike) -> Iterator[AskedContext]:
    """The contexts of a file, as a stream; the header is passed over."""
    for number, line in read_json_lines(path, _Line):
        if number == 1 and line.header is not None:
            continue
        yield _asked(line, path, number)


def decode_asked(data: bytes | str, *, path: PathLike) -> AskedContext:
    """One line of a file, wherever it came from; `path` names that in errors."""
    return _asked(decode(data, _Line, path=path), path, None)


def _asked(line: _Line, path: PathLike, number: int | None) -> AskedContext:
    if line.context is None or line.qas is None:
        missing = "context" if line.context is None else "qas"
        raise InputError(f"object missing required field `{missing}`", path=path, line=number)
    return AskedContext(line.context, line.qas)

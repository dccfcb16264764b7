"""SearchQA: Jeopardy! clues with what a web search finds for them, each search result a document."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources import multiqa
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion, join_documents
from caveat.benchmarks.mrqa.sources.records import (
    Member,
    Record,
    is_collection,
    members,
    open_records,
    records_in,
)
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.limits import current_limits, over

__all__ = ["SOURCE", "read"]

# An archive may hold itself.
_DEEPEST = 3


class _Result(msgspec.Struct):
    snippet: str | None = None
    title: str | None = None


class _Question(msgspec.Struct):
    id: int | str
    question: str
    answer: str
    search_results: list[_Result]


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a question, from one file or from a folder or archive of files with a question each."""
    if _is_zip(path):
        files = _zipped(Path(path), str(path))
    elif is_collection(path):
        files = members(path)
    else:
        yield from _contexts(*open_records(path), path, drops)
        return
    found = False
    for file in files:
        if file.name.endswith((".json", ".json.gz", ".jsonl", ".jsonl.gz")):
            found = True
            lines = enumerate(_text(file).split("\n"), start=1)
            yield from _contexts(*records_in(lines, file.path), file.path, drops)
    if not found:
        raise InputError("has no SearchQA questions: expected JSON files", path=path)


def _contexts(
    fields: frozenset[str], records: Iterator[Record], path: PathLike, drops: Drops
) -> Iterator[SourceContext]:
    if multiqa.is_multiqa(fields):
        yield from multiqa.contexts(records, "SearchQA", drops, multiqa.joined)
        return
    if "search_results" not in fields:
        raise InputError(
            "expected SearchQA's layout, with `search_results`; without them there is no context", path=path
        )
    for record in records:
        question = record.to(_Question)
        text = join_documents(
            (result.title, [result.snippet])
            for result in question.search_results
            if result.snippet and result.snippet.strip()
        )
        if text:
            asked = SourceQuestion(str(question.id), question.question, (question.answer,))
            yield SourceContext(text, (asked,), str(question.id))
        else:
            drops.add("no search result", question.id)


def _text(file: Member) -> str:
    try:
        return file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {file.data[error.start]:#04x})", path=file.path) from None


def _is_zip(path: PathLike) -> bool:
    return str(path) != "-" and Path(path).is_file() and zipfile.is_zipfile(path)


def _zipped(file: Path | IO[bytes], place: str, depth: int = 0) -> Iterator[Member]:
    """The files of a zip archive; the published one holds an archive for each split."""
    try:
        with zipfile.ZipFile(file) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith("/") or "__MACOSX" in name:
                    continue
                # Nothing in an archive gives more bytes than the archive says.
                if archive.getinfo(name).file_size > (most := current_limits().data_bytes):
                    raise over(
                        "data_bytes", f"holds more than {most:,} bytes, uncompressed", path=f"{place}/{name}"
                    )
                data = archive.read(name)
                if name.endswith(".zip") and depth < _DEEPEST:
                    yield from _zipped(io.BytesIO(data), f"{place}/{name}", depth + 1)
                else:
                    yield Member(name, f"{place}/{name}", data)
    # Encrypted files and unknown compressions are a RuntimeError, names in a wrong encoding a ValueError.
    except (zipfile.BadZipFile, EOFError, OSError, zlib.error, RuntimeError, ValueError) as error:
        raise InputError(f"the archive is damaged: {error}", path=place) from error


SOURCE = MrqaSource(
    name="searchqa",
    dataset="SearchQA",
    reads="SearchQA's JSON: a file, JSON lines, or a folder or archive with a file a question",
    read=read,
)

"""Quiz questions with texts from the web: TriviaQA and SearchQA."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from caveat.benchmarks.mrqa.sources import (
    Member,
    Record,
    is_collection,
    members,
    multiqa,
    open_records,
    records_in,
)
from caveat.benchmarks.mrqa.sources.build import (
    MAXIMUM_TOKENS,
    MrqaSource,
    SourceContext,
    SourceQuestion,
    join_documents,
)
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_text
from caveat.core.limits import current_limits, over
from caveat.language.normalise import normalise_squad

# TriviaQA, web version: each question with its evidence documents; every alias is an answer.
#
# The questions name their documents; the texts are in the `evidence` folder, which `--documents` names.


class _Answer(msgspec.Struct, rename="pascal"):
    value: str
    aliases: list[str] = []
    normalized_aliases: list[str] = []


class _Page(msgspec.Struct, rename="pascal"):
    filename: str = ""
    title: str = ""
    rank: int = 0


class _Question(msgspec.Struct, rename="pascal"):
    question_id: str
    question: str
    answer: _Answer | None = None
    entity_pages: list[_Page] = []
    search_results: list[_Page] = []


def read_triviaqa(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a question: its search results in their order, then its Wikipedia pages."""
    fields, records = open_records(path)
    if multiqa.is_multiqa(fields):
        yield from multiqa.contexts(records, "TriviaQA", drops, _multiqa_text)
        return
    if "Data" not in fields:
        raise InputError("expected TriviaQA's layout, an object with `Data`", path=path)
    folder = _evidence_folder(documents, path)
    for record in records:
        for item in record.items("Data"):
            question = item.to(_Question)
            qid = question.question_id
            if question.answer is None:
                raise InputError(
                    "the questions come without answers, as in the test files", path=path, id=qid
                )
            if text := join_documents(_documents(question, folder)):
                asked = SourceQuestion(qid, question.question, _gold(question.answer))
                yield SourceContext(text, (asked,), qid)
            else:
                drops.add("no evidence document", qid)


def _evidence_folder(documents: PathLike | None, path: PathLike) -> Path:
    if documents is None:
        raise InputError(
            "TriviaQA's questions only name their documents: give the evidence folder with --documents",
            path=path,
        )
    for folder in (Path(documents), Path(documents) / "evidence"):
        if (folder / "web").is_dir() or (folder / "wikipedia").is_dir():
            return folder
    raise InputError(
        "expected TriviaQA's evidence folder, with a folder web or wikipedia in it", path=documents
    )


def _documents(question: _Question, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Titles and paragraphs, as far as a context reaches: documents that would be cut off are not opened."""
    pages = [("web", page) for page in sorted(question.search_results, key=lambda page: page.rank)]
    pages += [("wikipedia", page) for page in question.entity_pages]
    room = MAXIMUM_TOKENS
    for kind, page in pages:
        if page.filename and room > 0:
            lines = _text(folder, f"{kind}/{page.filename}", question.question_id).split("\n")
            # A token never holds a blank, so there are at least as many tokens as words between blanks.
            room -= sum(len(line.split()) for line in lines)
            yield page.title, lines


def _multiqa_text(
    documents: Sequence[multiqa.MultiqaDocument], questions: Sequence[multiqa.MultiqaQuestion]
) -> str:
    texts = ((document.title, document.text or document.snippet) for document in documents)
    return join_documents((title, text.split("\n")) for title, text in texts if text.strip())


def _text(folder: Path, name: str, qid: str) -> str:
    if ".." in PurePosixPath(name.replace("\\", "/")).parts or "\0" in name:
        raise InputError(f"the evidence file {name!r} is not in the folder", path=folder, id=qid)
    for file in (folder / name, folder / f"{name}.gz"):
        if file.is_file():
            return read_text(file)
    raise InputError(f"there is no evidence file {name}", path=folder, id=qid)


def _gold(answer: _Answer) -> tuple[str, ...]:
    """The answer and its aliases, one of each normal form: the scorer takes "The Beatles" for "beatles"."""
    golds: dict[str, str] = {}
    for text in (answer.value, *answer.aliases, *answer.normalized_aliases):
        golds.setdefault(normalise_squad(text), text)
    return tuple(golds.values())


TRIVIAQA = MrqaSource(
    name="triviaqa",
    dataset="TriviaQA-web",
    reads="TriviaQA's question file, such as web-train.json",
    read=read_triviaqa,
    documents="TriviaQA's evidence folder, with web and wikipedia in it",
)


# SearchQA: Jeopardy! clues with what a web search finds for them, each search result a document.

# An archive may hold itself.
_DEEPEST = 3


class _Result(msgspec.Struct):
    snippet: str | None = None
    title: str | None = None


class _Clue(msgspec.Struct):
    id: int | str
    question: str
    answer: str
    search_results: list[_Result]


def read_searchqa(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
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
            lines = enumerate(_results_text(file).split("\n"), start=1)
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
        question = record.to(_Clue)
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


def _results_text(file: Member) -> str:
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


SEARCHQA = MrqaSource(
    name="searchqa",
    dataset="SearchQA",
    reads="SearchQA's JSON: a file, JSON lines, or a folder or archive with a file a question",
    read=read_searchqa,
)

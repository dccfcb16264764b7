"""What a question is asked of: documents, tables and knowledge bases, given as records or as files of any kind."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from caveat.core.errors import CaveatError, InputError, reason_of
from caveat.core.files import PathLike, is_device, read_raw
from caveat.core.limits import current_limits, over
from caveat.core.records import Document, KnowledgeBase, Remark, Source, Table
from caveat.language.foreign import is_foreign

if TYPE_CHECKING:
    from caveat.sources.grid import ReadTable
    from caveat.sources.read import Contents

__all__ = [
    "Given",
    "Input",
    "ReadSource",
    "Unread",
    "files_of",
    "gather",
    "parse_source",
    "read_source",
    "read_sources",
    "several_inputs",
]

Input = Document | Table | KnowledgeBase | str | Path

Unread = Callable[[Remark], None]
_FOREIGN = "is in neither English nor Chinese, which the models that come with Caveat were trained on"
"""Told of each file of a folder that nothing is read of, and why."""

# Endings of files of triples, as they stand in folders; a file that is named may have any.
_TRIPLES = (".kb", ".nt", ".triples", "triples.index")
_NAME_ENDING = re.compile(r"(?:\.[a-z0-9]{1,12}){1,2}$", re.IGNORECASE)


class ReadSource(NamedTuple):
    """A source with the name of its file, and what there is to be said about how it was read."""

    name: str
    source: Source
    remark: str = ""


class Given(NamedTuple):
    """The sources of one question, by their kind; what was not read of them, and how the rest was."""

    documents: tuple[Document, ...] = ()
    tables: tuple[Table, ...] = ()
    bases: tuple[KnowledgeBase, ...] = ()
    unread: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """All of them, kind by kind."""
        return (*self.documents, *self.tables, *self.bases)

    @classmethod
    def of(cls, sources: Iterable[Source]) -> Given:
        """The sources sorted, each kind in its order."""
        several = list(sources)
        return cls(
            tuple(source for source in several if isinstance(source, Document)),
            tuple(source for source in several if isinstance(source, Table)),
            tuple(source for source in several if isinstance(source, KnowledgeBase)),
        )


def gather(inputs: Input | Sequence[Input], *, strict: bool = False) -> Given:
    """Records as they are and what the paths hold, by their kind."""
    found: list[Source] = []
    unread: list[Remark] = []
    remarks: list[Remark] = []
    for each in several_inputs(inputs):
        if not isinstance(each, str | Path):
            found.append(each)
            continue
        if str(each) != "-" and not _exists(each):
            problem = "there is no such file; a text itself is given as Document(text)"
            raise InputError(problem, path=each)
        for read in read_sources([each], unread=unread.append, strict=strict):
            found.append(read.source)
            remarks += [Remark(read.name, read.remark)] if read.remark else []
    return Given.of(found)._replace(unread=tuple(unread), remarks=tuple(dict.fromkeys(remarks)))


def several_inputs(inputs: Input | Sequence[Input]) -> list[Input]:
    """One source or several, as a list; whatever is neither a record nor a path is refused."""
    several = [inputs] if isinstance(inputs, Input) else list(inputs)
    if not several:
        raise InputError("There is no source to answer from.")
    for each in several:
        if not isinstance(each, Input):
            kind = (
                "several in a list; give each by itself"
                if isinstance(each, list | tuple)
                else type(each).__name__
            )
            raise InputError(
                f"A source is a Document, a Table, a KnowledgeBase or a path, got {kind}: {each!r:.80}."
            )
    return several


def _exists(path: str | Path) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # a text is no file name: too long, or with a NUL
        return False


def read_sources(
    paths: Iterable[PathLike], *, unread: Unread = lambda _: None, strict: bool = False
) -> Iterator[ReadSource]:
    """What files, folders (with all that is in them) and `-` hold, each file once.

    Spreadsheets, CSV and TSV files are tables, web pages and Markdown texts are documents and the tables in them, files
    of triples and indexes are knowledge bases, and everything else is a document. Endings tell, or else the content.

    A file of a folder that cannot be read stops nothing: `unread` is told of it. It is an error where a file is named
    itself, where it is to be `strict`, and where nothing in the folder can be read.
    """
    seen: set[str] = set()
    for path in paths:
        if not _is_folder(path):
            if _is_first(str(path), seen):
                yield from _read(str(path))
            continue
        left: list[Remark] = []
        count = 0
        for file in _files_in(path, left.append):
            if not _is_first(file, seen):
                count += 1
                continue
            try:
                for read in _read(file):
                    count += 1
                    yield read
            except CaveatError as error:
                left.append(Remark(file, reason_of(error)))
        if left and strict:
            raise InputError(left[0].text + _and_others(len(left) - 1), path=left[0].source)
        if not count:
            raise _nothing(path, left)
        for remark in left:
            unread(remark)


def _is_folder(path: PathLike) -> bool:
    """Whether a path is a folder of files; an index is a folder that stands for itself."""
    from caveat.sources.triples import is_index

    return str(path) != "-" and Path(path).is_dir() and not is_index(path)


def _is_first(file: str, seen: set[str]) -> bool:
    whole = file if file == "-" else os.path.realpath(file)
    if whole in seen:
        return False
    seen.add(whole)
    return True


def files_of(path: PathLike, *, unread: Unread = lambda _: None) -> list[str]:
    """The files that `read_sources` would read of a path: those of a folder that are of a known kind, else itself."""
    return _files_in(path, unread) if _is_folder(path) else [str(path)]


def _nothing(folder: PathLike, left: Sequence[Remark]) -> InputError:
    if not left:
        return InputError(f"has nothing in it to answer from: {', '.join(_endings())}", path=folder)
    why = f"{os.path.relpath(left[0].source, folder)} {left[0].text}{_and_others(len(left) - 1)}"
    return InputError(f"has nothing in it to answer from: {', '.join(_endings())}; {why}", path=folder)


def _and_others(number: int) -> str:
    return f" (and {number:,} other{'s' if number > 1 else ''} could not be read)" if number else ""


def _endings() -> tuple[str, ...]:
    from caveat.sources.read import ENDINGS

    return (*ENDINGS, *_TRIPLES)


def read_source(path: PathLike) -> tuple[Source, ...]:
    """What one file or index holds, or standard input for `-`."""
    return tuple(read.source for read in _read(str(path)))


def _files_in(folder: PathLike, unread: Unread) -> list[str]:
    """The files of a folder whose names are known, sorted, hidden ones left out; `unread` is told of all others."""
    endings = _endings()
    most = current_limits().files
    found: list[Path] = []

    def fault(error: OSError) -> None:
        unread(Remark(str(error.filename), f"cannot be opened: {(error.strerror or str(error)).lower()}"))

    for parent, folders, names in os.walk(folder, onerror=fault):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        # "~$book.xlsx" is what Office leaves beside a file that is open.
        for name in sorted(name for name in names if not name.startswith((".", "~$"))):
            path = Path(parent, name)
            if (problem := _problem(path, endings)) is not None:
                unread(Remark(str(path), problem))
                continue
            found.append(path)
            if len(found) > most:
                raise over("files", f"has more than {most:,} files to read", path=folder)
    return [str(path) for path in sorted(found)]


def _problem(path: Path, endings: tuple[str, ...]) -> str | None:
    """Why a file of a folder is not even opened: what is no file might never end."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return "is a pipe or a device, not a file"
    except OSError as error:
        return f"cannot be opened: {(error.strerror or str(error)).lower()}"
    if path.name.lower().removesuffix(".gz").endswith(endings):
        return None
    kind = path.suffix.lower()
    return (
        f"is of a kind that is not read ({kind})" if kind else "is of no kind that is read: it has no ending"
    )


def _read(path: str) -> Iterator[ReadSource]:
    from caveat.sources.read import read_file
    from caveat.sources.triples import is_knowledge

    # What can be read only once is no file of triples.
    if path != "-" and not is_device(path) and is_knowledge(path):
        yield ReadSource(path, KnowledgeBase(path))
        return
    yield from _of_contents(read_file(path), path)


def parse_source(data: bytes, name: str, folder: Path) -> tuple[ReadSource, ...]:
    """What the content of a file holds; its name tells of what kind it is, and is no path that is opened.

    Triples are looked up in a file, which is written into the folder, and has to stay there as long as they are.
    """
    from caveat.sources.read import parse_file
    from caveat.sources.triples import is_index, is_knowledge

    ending = _NAME_ENDING.search(name)
    file = folder / f"source{ending[0].lower() if ending else ''}"
    file.write_bytes(data)
    if is_index(file):
        raise InputError("is an index, which is not taken from elsewhere: send its triples", path=name)
    try:
        if is_knowledge(file):
            return (ReadSource(name, KnowledgeBase(str(file))),)
        content = read_raw(file, "source_bytes")
    except InputError as error:
        raise InputError(error.problem, path=name, line=error.line) from None
    return tuple(_of_contents(parse_file(content, name), name))


def _of_contents(contents: Contents, path: str) -> Iterator[ReadSource]:
    document, tables, remark = contents
    if document is not None:
        # Places name a document by its address; here that is the file.
        said = "; ".join(filter(None, (remark, _FOREIGN if is_foreign(document.text) else "")))
        yield ReadSource(path, msgspec.structs.replace(document, url=path), said)
    for read in tables:
        yield ReadSource(path, read.table, _remark(read, remark) if document is None else "")


def _remark(read: ReadTable, remark: str) -> str:
    remarks = [remark] if remark else []
    if read.without_header:
        remarks.append("no row names the columns, so they are called column 1, column 2 and so on")
    if read.ragged:
        rows = f"{read.ragged:,} row{'s have' if read.ragged > 1 else ' has'}"
        remarks.append(f"{rows} more or fewer cells than there are columns")
    return "; ".join(remarks)

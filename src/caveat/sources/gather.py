"""What a question is asked of: documents, tables and knowledge bases, given as records or as files of any kind."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from caveat.core.errors import CaveatError, InputError, reason_of
from caveat.core.files import PathLike, is_device, reason_of_system, uncompressed
from caveat.core.records import Document, KnowledgeBase, Remark, Source, Table
from caveat.language.foreign import is_foreign
from caveat.sources.read import Unread, all_endings, files_in, problem_of_name

if TYPE_CHECKING:
    from caveat.sources.contents import Contents, Member
    from caveat.sources.grid import ReadTable


_NAME_ENDING = re.compile(r"(?:\.[a-z0-9]{1,12}){1,2}$", re.IGNORECASE)

Input = Document | Table | KnowledgeBase | str | Path

_FOREIGN = "is in neither English nor Chinese, which the models that come with Caveat were trained on"


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


def gather(inputs: Input | Sequence[Input], *, strict: bool = False, private: bool = False) -> Given:
    """Records as they are and what the paths and addresses hold, by their kind."""
    found: list[Source] = []
    unread: list[Remark] = []
    remarks: list[Remark] = []
    for each in several_inputs(inputs):
        if not isinstance(each, str | Path):
            found.append(each)
            continue
        if str(each) != "-" and not _exists(each) and not is_address(each):
            problem = "there is no such file; a text itself is given as Document(text)"
            raise InputError(problem, path=each)
        for read in read_sources([each], unread=unread.append, strict=strict, private=private):
            found.append(read.source)
            remarks += [Remark(read.name, read.remark)] if read.remark else []
    return Given.of(found)._replace(unread=tuple(unread), remarks=tuple(dict.fromkeys(remarks)))


def is_address(source: str | Path) -> bool:
    """Whether a source is fetched rather than opened."""
    return str(source).lower().startswith(("http://", "https://"))


def read(source: Input, *, private: bool = False) -> Document:
    """The document of a file: its text, which the offsets of places point into, its elements, and where pages begin."""
    return only_document(gather(source, private=private), source)


def only_document(given: Given, source: Input) -> Document:
    """The document among what was read of a source; InputError where there is none, or more than one."""
    if len(given.documents) == 1:
        return given.documents[0]
    path = str(source) if isinstance(source, str | Path) else None
    if given.documents:
        problem = f"holds {len(given.documents):,} texts: name one of them, such as {given.documents[0].url}"
        raise InputError(problem, path=path)
    raise InputError("holds tables or triples, but no text", path=path)


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
        return Path(path).exists() or _place_inside(str(path)) is not None
    except PermissionError:  # whoever opens it says so
        return True
    except (OSError, ValueError):  # a text is no file name: too long, or with a NUL
        return False


def read_sources(
    paths: Iterable[PathLike],
    *,
    unread: Unread = lambda _: None,
    strict: bool = False,
    private: bool = False,
) -> Iterator[ReadSource]:
    """What files, folders (with all that is in them) and `-` hold, each file once.

    Spreadsheets, CSV and TSV files are tables, web pages and Markdown texts are documents and the tables in them, files
    of triples and indexes are knowledge bases, and everything else is a document. Endings tell, or else the content.

    A file of a folder that cannot be read stops nothing: `unread` is told of it. It is an error where a file is named
    itself, where it is to be `strict`, and where nothing in the folder can be read.
    """
    seen: set[str] = set()
    for path in paths:
        left: list[Remark] = []
        count = 0
        is_folder = _is_folder(path)
        for file in files_in(path, left.append) if is_folder else [str(path)]:
            if not _is_first(file, seen):
                count += 1
                continue
            try:
                for read in _read(file, left.append, private=private):
                    count += 1
                    yield read
            except CaveatError as error:
                if not is_folder:
                    raise
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

    if not str(path):
        raise InputError("The name of a source is empty: name a file, a folder or an address.")
    if "\0" in str(path):
        raise InputError("has a NUL character in its name, as no file or address has", path=path)
    try:
        return str(path) != "-" and Path(path).is_dir() and not is_index(path)
    except OSError as error:
        raise InputError(f"cannot be opened: {reason_of_system(error)}", path=path) from error


def _is_first(file: str, seen: set[str]) -> bool:
    whole = file if file == "-" or is_address(file) else os.path.realpath(file)
    if whole in seen:
        return False
    seen.add(whole)
    return True


def files_of(path: PathLike, *, unread: Unread = lambda _: None) -> list[str]:
    """The files that `read_sources` would read of a path: those of a folder that are of a known kind, else itself."""
    return files_in(path, unread) if _is_folder(path) else [str(path)]


def _nothing(folder: PathLike, left: Sequence[Remark]) -> InputError:
    if not left:
        return InputError(f"has nothing in it to answer from: {', '.join(all_endings())}", path=folder)
    if left[0].source == str(folder):
        return InputError(left[0].text, path=folder)
    why = f"{os.path.relpath(left[0].source, folder)} {left[0].text}{_and_others(len(left) - 1)}"
    return InputError(f"has nothing in it to answer from: {', '.join(all_endings())}; {why}", path=folder)


def _and_others(number: int) -> str:
    return f" (and {number:,} other{'s' if number > 1 else ''} could not be read)" if number else ""


def _read(path: str, unread: Unread, *, private: bool = False) -> Iterator[ReadSource]:
    """As `_read_file`; what the operating system says against it is a sentence."""
    try:
        yield from _read_file(path, unread, private=private)
    except OSError as error:
        raise InputError(f"cannot be read: {reason_of_system(error)}", path=path) from error


def _read_file(path: str, unread: Unread, *, private: bool) -> Iterator[ReadSource]:
    """What a file or an address holds, and the files inside of it; `unread` is told of those that cannot be read."""
    from caveat.sources.read import parse_file, read_file
    from caveat.sources.triples import is_knowledge

    if is_address(path):
        from caveat.sources.addresses import fetch

        data, named = fetch(path, private=private)
        yield from _sources(parse_file(data, path, named=named), path, unread)
        return
    # What can be read only once is no file of triples.
    if path != "-" and not is_device(path) and is_knowledge(path):
        yield ReadSource(path, KnowledgeBase(path))
        return
    inside = _place_inside(path)
    if inside is None:
        yield from _sources(read_file(path), path, unread)
        return
    file, name = inside
    for member in read_file(file).members:
        if member.name == name:
            yield from _member(member, path, unread)
            return
    raise InputError(f"has no file {name} in it", path=file)


def parse_source(
    data: bytes, name: str, folder: Path, *, unread: Unread = lambda _: None
) -> tuple[ReadSource, ...]:
    """What the content of a file holds; its name tells of what kind it is, and is no path that is opened.

    Triples are looked up in a file, which is written into the folder, and has to stay there as long as they are.
    `unread` is told what of an archive cannot be read; it is an error where that is all of it.
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
        content = uncompressed(data, name, "source_bytes")
    except InputError as error:
        raise InputError(error.problem, path=name, line=error.line) from None
    left: list[Remark] = []
    found = tuple(_sources(parse_file(content, name), name, left.append))
    if not found:
        raise _nothing(name, left)
    for remark in left:
        unread(remark)
    return found


def _place_inside(path: str) -> tuple[str, str] | None:
    """The archive and the name in it, where a path leads into one, as places name it: `guides.zip/fees.md`."""
    if path == "-" or os.path.exists(path):
        return None
    for folder in Path(path).parents:
        if os.path.isfile(folder):
            return str(folder), Path(path).relative_to(folder).as_posix()
    return None


def _member(member: Member, path: str, unread: Unread) -> Iterator[ReadSource]:
    """What a file inside of another holds; it may hold tables and texts, but no further files."""
    from caveat.sources.read import parse_file

    try:
        if member.problem:
            raise InputError(member.problem)
        if (problem := problem_of_name(path)) is not None:
            raise InputError(problem)
        contents = parse_file(member.data, path)
        if contents.members and contents.document is None:
            raise InputError("is an archive inside of another: unpack it and ask again")
        yield from _sources(contents._replace(members=()), path, unread)
    except CaveatError as error:
        unread(Remark(path, reason_of(error)))


def _sources(contents: Contents, path: str, unread: Unread) -> Iterator[ReadSource]:
    document, tables, remark, members = contents
    if document is not None:
        # Places name a document by its address; here that is the file.
        said = "; ".join(filter(None, (remark, _FOREIGN if is_foreign(document.text) else "")))
        yield ReadSource(path, msgspec.structs.replace(document, url=path), said)
    for read in tables:
        yield ReadSource(path, read.table, _remark(read, remark) if document is None else "")
    for member in members:
        yield from _member(member, f"{path}/{member.name}", unread)


def _remark(read: ReadTable, remark: str) -> str:
    remarks = [remark] if remark else []
    if read.without_header:
        remarks.append("no row names the columns, so they are called column 1, column 2 and so on")
    if read.ragged:
        rows = f"{read.ragged:,} row{'s have' if read.ragged > 1 else ' has'}"
        remarks.append(f"{rows} more or fewer cells than there are columns")
    return "; ".join(remarks)

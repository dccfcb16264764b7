"""Files of triples and of mentions: which format one is in, told by its name and content, its reading, its bad lines.

Triples that are indexed already are known by the index's first bytes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath

import msgspec

from caveat.core.answers import Triple
from caveat.core.errors import InputError, UnknownNameError
from caveat.core.files import (
    BLOCK,
    READ_FAULTS,
    PathLike,
    is_device,
    open_bytes,
    read_blocks,
    read_fault,
    reason_of_system,
)
from caveat.sources.kinds import ENDINGS
from caveat.sources.triple_columns import AT_ONCE, Columns, batches_of, nlpcc_columns
from caveat.sources.triple_lines import (
    Mention,
    OnBad,
    parse_statement,
    read_mentions,
    read_ntriples,
    read_triples,
)
from caveat.sources.triple_tables import (
    begins_with_triple,
    heading_columns,
    read_csv_table,
    read_json_triples,
    read_tsv_table,
)

INDEX_FILE = "triples.index"
INDEX_MAGIC = b"caveat knowledge"

SOURCE_FORMATS: dict[str, Callable[[PathLike, OnBad | None], Iterator[Triple]]] = {
    "nlpcc-kb": read_triples,
    "triples-tsv": read_tsv_table,
    "triples-csv": read_csv_table,
    "triples-json": read_json_triples,
    "ntriples": read_ntriples,
}
MENTIONS = "nlpcc-mentions"

_OF_JSON = (".json", ".jsonl", ".ndjson")
_ENDINGS = {".tsv": "triples-tsv", ".csv": "triples-csv", ".nt": "ntriples", ".mention2id": MENTIONS}
_ENDINGS |= dict.fromkeys(_OF_JSON, "triples-json")
# Kinds whose files may be lines of triples.
_OF_LINES = frozenset({"plain text", "CSV", "TSV", "JSON"})
_DOCUMENTS = frozenset(ending for ending, kind in ENDINGS.items() if kind.name not in _OF_LINES) | {".doc"}
# Names that nothing but triples has; a table or a text has to show them.
_OF_TRIPLES = frozenset({".kb", ".nt", ".triples"})
_OF_TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_HEAD = 1 << 18
_LOOKED_AT = 200

_SHOWN_LINES, _SHOWN_TEXT = 10, 80


class SourceFile(msgspec.Struct, frozen=True):
    """A file, its format, and about how many lines and bytes it has, None if that cannot be told beforehand."""

    path: str
    format: str
    lines: int | None = None
    bytes: int | None = None

    @property
    def blocks(self) -> int | None:
        """About how many blocks `columns` gives."""
        if self.format == "nlpcc-kb":
            return None if self.bytes is None else -(-self.bytes // BLOCK)
        return None if self.lines is None else -(-self.lines // AT_ONCE)

    def columns(self, on_bad: OnBad) -> Iterator[Columns]:
        """Its triples, as a stream of blocks."""
        if self.format != "nlpcc-kb":
            yield from batches_of(SOURCE_FORMATS[self.format](self.path, on_bad))
            return
        for first_line, text in read_blocks(self.path):
            yield nlpcc_columns(text, first_line, on_bad)

    def mentions(self, on_bad: OnBad) -> Iterator[Mention]:
        """Its mentions, as a stream."""
        return read_mentions(self.path, on_bad)


def look_at(path: PathLike, format: str | None = None) -> SourceFile:
    """The file with its format: the one that is given, or what its name and its first lines show."""
    known = [*SOURCE_FORMATS, MENTIONS]
    if format is not None and format not in known:
        raise UnknownNameError("format of triples", format, known)
    if str(path) == "-" or is_device(path):
        # It can be read only once.
        if format is None:
            raise InputError(f"is not a file, so its format has to be said: {', '.join(known)}", path=path)
        return SourceFile(str(path), format)
    if os.path.isdir(path):
        raise InputError("is a folder: name the files of triples in it", path=path)
    ending = PurePath(str(path).lower().removesuffix(".gz")).suffix
    if format is None and ending in _DOCUMENTS:
        raise InputError("is a document: an index of triples is made of nothing else", path=path)
    head, lines, size = _head(path)
    if not any(map(str.strip, head)):
        raise InputError("is empty", path=path)
    format = format or _ENDINGS.get(ending) or _format_of(head)
    if format is None:
        problem = (
            "has no triples in its first lines: expected `subject ||| predicate ||| object`, three columns with "
            "tabs or commas between, or N-Triples"
        )
        raise InputError(problem, path=path)
    return SourceFile(str(path), format, lines, size)


def is_knowledge(path: PathLike) -> bool:
    """Whether a path is an index or a file of triples: by its name, or by what its first lines hold."""
    if is_index(path):
        return True
    return str(path) != "-" and os.path.isfile(path) and looks_like_triples(path)


def is_index(path: PathLike) -> bool:
    """Whether a path is an index, or a folder with one in it; what may not be opened is for its reader to say."""
    if os.path.isdir(path):
        return os.path.isfile(Path(path, INDEX_FILE))
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(INDEX_MAGIC)) == INDEX_MAGIC
    except PermissionError:
        return False
    except OSError as error:
        raise InputError(f"cannot be read: {reason_of_system(error)}", path=path) from error


def looks_like_triples(path: PathLike) -> bool:
    """Whether a file is one of triples: by its name, by the headings of a table, or by the lines of any other file."""
    ending = PurePath(str(path).lower().removesuffix(".gz")).suffix
    if ending in _OF_TRIPLES:
        return True
    if ending in _DOCUMENTS:
        return False
    lines, _, _ = _head(path)
    if ending in _OF_JSON:
        return begins_with_triple("\n".join(lines))
    if ending in _OF_TABLES:
        return heading_columns(lines[0].split(_OF_TABLES[ending])) is not None
    written = [line for line in lines if line.strip()]
    formats = Counter(map(_format_of_line, written))
    # Of a text that speaks of triples some lines may look like them.
    return formats["nlpcc-kb"] + formats["ntriples"] > len(written) / 2


def _head(path: PathLike) -> tuple[list[str], int, int]:
    """The first lines, and how many lines and bytes there will be about, if the rest is like them."""
    with open_bytes(path) as stream:
        try:
            head = stream.read(_HEAD)
            # Of a compressed file, how far its own bytes were read; a little more than the head took.
            consumed = getattr(stream, "fileobj", stream).tell()
        except READ_FAULTS as error:
            raise InputError(read_fault(error), path=path) from error
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as fault:
        cut = fault.start > len(head) - 4
        text = head.decode("utf-8" if cut else "gb18030", "replace")
    lines = text.split("\n")
    whole = Path(path).stat().st_size
    if len(head) < _HEAD or consumed >= whole:
        return lines[:_LOOKED_AT], len(lines) - (not lines[-1]), len(head)
    # The last line is cut off, and counts only if it is the first as well.
    lines = lines[:-1] or lines
    times = whole / consumed
    return lines[:_LOOKED_AT], round(len(lines) * times), round(len(head) * times)


def _format_of(lines: list[str]) -> str | None:
    """The format that most of the lines are in."""
    votes = Counter(filter(None, map(_format_of_line, lines)))
    return votes.most_common(1)[0][0] if votes else None


def _format_of_line(line: str) -> str | None:
    marks = line.count("|||")
    if marks >= 2:
        return "nlpcc-kb"
    if marks == 1:
        return MENTIONS
    if parse_statement(line) is not None:
        return "ntriples"
    if line.count("\t") >= 2:
        return "triples-tsv"
    # Commas stand in any prose: without headings a name ending in .csv has to say it.
    return "triples-csv" if heading_columns(line.split(",")) else None


class BadLine(msgspec.Struct, frozen=True):
    """A line that holds no triple, or no mention; the beginning of its text."""

    source: str
    line: int
    text: str


class BadLines:
    """Reads files and keeps an account of their bad lines."""

    def __init__(self, *, skip: bool) -> None:
        self._skip = skip
        self.count = 0
        self.first: list[BadLine] = []

    def columns(self, file: SourceFile) -> Iterator[Columns]:
        """The triples of a file, in blocks.

        Its bad lines are told all at once, so that they can be mended at once: after the first of them the rest of
        the file is read for the others alone.
        """
        for block in file.columns(self._counter(file)):
            if self._skip or not self.count:
                yield block
        self._raise_unless_skipped(file)

    def mentions(self, file: SourceFile) -> Iterator[Mention]:
        """The mentions of a file, in the same way."""
        for mention in file.mentions(self._counter(file)):
            if self._skip or not self.count:
                yield mention
        self._raise_unless_skipped(file)

    def _counter(self, file: SourceFile) -> OnBad:
        def on_bad(line: int, text: str) -> None:
            self.count += 1
            if len(self.first) < _SHOWN_LINES:
                self.first.append(BadLine(file.path, line, text[:_SHOWN_TEXT]))

        return on_bad

    def _raise_unless_skipped(self, file: SourceFile) -> None:
        if self._skip or not self.count:
            return
        first = self.first[0]
        expected = (
            "a mention, ||| and entities with tabs between"
            if file.format == MENTIONS
            else "subject, predicate and object, none empty"
        )
        if self.count == 1:
            problem = (
                f"expected {expected}, got {first.text!r} (`caveat index --skip-bad` leaves such lines out)"
            )
            raise InputError(problem, path=file.path, line=first.line)
        lines = ", ".join(f"{bad.line:,}" for bad in self.first)
        more = " …" if self.count > len(self.first) else ""
        problem = (
            f"expected {expected} in every line; {self.count:,} lines are not so: {lines}{more}; "
            f"the first is {first.text!r} (`caveat index --skip-bad` leaves such lines out)"
        )
        raise InputError(problem, path=file.path)

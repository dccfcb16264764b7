"""What a request asks: its whole question, the sources that it brings, and those of a library that it chooses.

What it brings is read as files are, but from memory, and never from a path of the server.
"""

from __future__ import annotations

import binascii
import re
import shutil
import tempfile
import weakref
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from caveat.answerers.engine import characters_of
from caveat.core.cache import LimitedCache
from caveat.core.errors import InputError, reason_of
from caveat.core.limits import current_limits, over
from caveat.core.records import Document, KnowledgeBase, Remark, Reply, Source, Table
from caveat.language.ellipsis import completed
from caveat.language.question_rewriting import tells_only
from caveat.library.choosing import Shelf
from caveat.library.state import state_in_memory
from caveat.serve.bodies import AskBody, FollowUp, InlineSource
from caveat.serve.shown import renamed
from caveat.sources.gather import ReadSource, parse_source

if TYPE_CHECKING:
    from caveat.library.library import Library

# What was read is kept for the next question until the contents have so many bytes together.
_KEPT_BYTES = 64 << 20
# Whatever is kept counts for so many at the least, and triples for more: they keep a folder and a descriptor, however
# few they are.
_LEAST_BYTES, _BASE_BYTES = 1 << 16, 4 << 20
# The same of the indexes of chosen sources, in characters.
_KEPT_CHARACTERS, _LEAST_CHARACTERS = 1 << 24, 1 << 18
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, eq=False)
class _Held:
    """What a file of a request holds; a file that had to be written is there as long as this is."""

    sources: tuple[ReadSource, ...]
    size: int
    unread: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class Given:
    """The sources of a request, what is to be said of them, and the names of those that had to become files."""

    sources: tuple[Source, ...]
    remarks: tuple[Remark, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    held: tuple[_Held, ...] = ()
    unread: tuple[Remark, ...] = ()

    def named(self, reply: Reply) -> Reply:
        """The reply with the names that the client knows."""
        if self.names:
            reply = renamed(reply, lambda name: self.names.get(name, name))
        unread = (*self.unread, *(remark for each in self.held for remark in each.unread))
        remarks = (*self.remarks, *reply.remarks)
        return replace(reply, unread=(*unread, *reply.unread), remarks=remarks)

    def documents(self) -> dict[str, Document]:
        """The texts, by name."""
        return {source.url: source for source in self.sources if isinstance(source, Document)}

    def tables(self) -> dict[str, Table]:
        """The tables, by the names that places give them."""
        return {source.id: source for source in self.sources if isinstance(source, Table)}


class InlineSources:
    """Reads what requests bring; the same content under the same name is read once, as long as it is kept.

    May be used from several threads.
    """

    def __init__(self, prepare: Callable[[Source], None] = lambda source: None) -> None:
        """`prepare` is handed each source when it is read, so that the questions find it ready."""
        self._prepare = prepare
        self.kept: LimitedCache[_Held] = LimitedCache(_KEPT_BYTES, lambda held: held.size)

    def read(self, given: Sequence[InlineSource], done: Callable[[int], None] = lambda number: None) -> Given:
        """The documents, tables and knowledge bases of a request; `done` is told how many of its files were read.

        A file that cannot be read is named, and left out where others can.
        """
        most = current_limits().request_sources
        if len(given) > most:
            raise over("request_sources", f"The request has {len(given):,} sources")
        names = [_name(each, number) for number, each in enumerate(given, 1)]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise InputError(f"Two sources of the request are called {twice!r}.")
        held: list[_Held] = []
        unread: list[Remark] = []
        for number, (name, each) in enumerate(zip(names, given, strict=True), 1):
            data = _content(each, name)
            try:
                held.append(self._held(name, each.table, data))
            except InputError as error:
                if number == len(given) and not held:
                    raise
                unread.append(Remark(name, reason_of(error)))
            done(number)
        read = [one for each in held for one in each.sources]
        return Given(
            tuple(one.source for one in read),
            tuple(dict.fromkeys(Remark(one.name, one.remark) for one in read if one.remark)),
            {one.source.path: one.name for one in read if isinstance(one.source, KnowledgeBase)},
            tuple(held),
            tuple(unread),
        )

    def _held(self, name: str, table: Table | None, data: bytes) -> _Held:
        if table is not None:
            return _Held((ReadSource(name, _table(table, name)),), 0)
        return self.kept.get((name, sha256(data).digest()), lambda: self._parsed(data, name))

    def _parsed(self, data: bytes, name: str) -> _Held:
        held = _parsed(data, name)
        for one in held.sources:
            try:
                self._prepare(one.source)
            except InputError as error:
                raise InputError(error.problem, path=name, line=error.line, id=error.id) from None
        return held


def _name(given: InlineSource, number: int) -> str:
    own = given.name or (given.table.id or given.table.caption if given.table else "")
    return checked_name(own or f"source {number}")


def size_of(given: InlineSource) -> int:
    """About how many characters a source of a request has."""
    table = 0 if given.table is None else characters_of(given.table)
    return len(given.text or "") + len(given.base64 or "") + table


def checked_name(name: str) -> str:
    """The name of a source, as a client may give it."""
    if len(name) > current_limits().source_name:
        raise over("source_name", f"The name {name[:20]!r}… has {len(name):,} characters")
    if not name.strip() or _CONTROL.search(name):
        raise InputError(f"The name {name!r} is blank, or has a control character in it.")
    return name


def _content(given: InlineSource, name: str) -> bytes:
    if [given.text, given.base64, given.table].count(None) != 2:
        raise InputError("has to have one of text, base64 and table", path=name)
    return _decoded(given.base64, name) if given.base64 is not None else (given.text or "").encode()


def _decoded(text: str, name: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(f"is not in base 64: {error}", path=name) from None


def _table(table: Table, name: str) -> Table:
    width = len(table.headers)
    if not width:
        raise InputError("has no columns", path=name)
    for number, row in enumerate(table.rows, 1):
        if len(row) != width:
            problem = f"row {number:,} has {len(row):,} cells, not {width:,} as the headers"
            raise InputError(problem, path=name)
    if width * len(table.rows) > current_limits().cells:
        raise over("cells", f"has {width * len(table.rows):,} cells", path=name)
    return replace(table, id=name)


def _parsed(data: bytes, name: str) -> _Held:
    """What is read; the folder with triples is there as long as this is kept."""
    folder = Path(tempfile.mkdtemp(prefix="caveat-"))
    held, is_base = None, False
    try:
        unread: list[Remark] = []
        read = parse_source(data, name, folder, unread=unread.append)
        is_base = any(isinstance(one.source, KnowledgeBase) for one in read)
        held = _Held(read, max(len(data), _BASE_BYTES if is_base else _LEAST_BYTES), tuple(unread))
    finally:
        if held is None or not is_base:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            weakref.finalize(held, shutil.rmtree, folder, ignore_errors=True)
    return held


def followed(body: AskBody) -> tuple[AskBody, FollowUp | None]:
    """The request with its whole question: what goes on from `before` is completed, what only tells asks that again."""
    line = " ".join(body.question.split())
    if not body.before.strip() or not line:
        return body, None
    if tells_only(line):
        return _told(body, FollowUp(body.before, line, keeps=True))
    whole = completed(line, body.before)
    return (body, None) if whole is None else _told(body, FollowUp(whole.question, whole.told))


def _told(body: AskBody, follow_up: FollowUp) -> tuple[AskBody, FollowUp]:
    scenario = " ".join(filter(None, (body.scenario, follow_up.told)))
    return replace(body, question=follow_up.question, scenario=scenario), follow_up


class ChosenSources:
    """Some sources of a library, searched as a library of their own; kept for the next question on the same ones."""

    def __init__(self) -> None:
        self._kept: LimitedCache[tuple[object, Shelf]] = LimitedCache(
            _KEPT_CHARACTERS, lambda kept: _size(kept[1].held)
        )

    def of(self, library: Library, names: Sequence[str]) -> Shelf:
        """The sources of these names, with all that their files gave."""
        state = library.state()

        def made() -> tuple[object, Shelf]:
            wanted = set(names)
            found = [each.source for each in library.entries() if _is_wanted(each.source, wanted)]
            if missing := [name for name in names if not any(_is_wanted(each, {name}) for each in found)]:
                raise InputError("is not in the library", path=missing[0])
            named = {each: state.document(each) for each in dict.fromkeys(found)}
            chosen = state_in_memory(named.values())
            # Triples are called by their file here, and by their name in the library.
            bases = {each.path: name for name, each in named.items() if isinstance(each, KnowledgeBase)}
            paths = {name: path for path, name in bases.items()}
            shelf = Shelf(
                lambda: chosen,
                lambda name: bases.get(name, name),
                lambda name: paths.get(name, name),
                tuple(named.values()),
            )
            return state, shelf

        return self._kept.get((id(state), tuple(names)), made)[1]


def _is_wanted(source: str, names: set[str]) -> bool:
    """Whether a source is one of these, or of a file that is: `fees.xlsx#2026` is of `fees.xlsx`."""
    return source in names or ("#" in source and source.rpartition("#")[0] in names)


def _size(sources: Sequence[Source]) -> int:
    return max(_LEAST_CHARACTERS, sum(len(each.text) for each in sources if isinstance(each, Document)))

"""A reply as a client sees it: with the names that it knows, and perhaps the texts and tables that it points into."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from msgspec.structs import asdict, replace

from caveat.answerers.asking import settle
from caveat.core.answers import Answer, Condition, Place
from caveat.core.records import Document, KnowledgeBase, Remark, Reply, Source, Table
from caveat.library.triples.store import KnowledgeStore
from caveat.render.answer_tree import answer_tree
from caveat.render.tree import ReplyWithTree, settled_tree
from caveat.serve.bodies import ShownBase, ShownReply
from caveat.sources.gather import ReadSource

_SHOWN_TRIPLES = 1_000

AnyReply = TypeVar("AnyReply", bound=Reply)
Rename = Callable[[str], str]


def renamed(reply: AnyReply, rename: Rename) -> AnyReply:
    """The reply with other names of the sources, wherever it has them."""

    def place(found: Place) -> Place:
        return replace(found, source=rename(found.source))

    def condition(found: Condition) -> Condition:
        return replace(found, place=found.place and place(found.place))

    def answer(found: Answer) -> Answer:
        return replace(
            found,
            place=found.place and place(found.place),
            conditions=tuple(map(condition, found.conditions)),
            evidence=tuple(map(place, found.evidence)),
            parts=tuple(map(answer, found.parts)),
        )

    reply = replace(
        reply,
        answers=tuple(map(answer, reply.answers)),
        passages=tuple(replace(hit, source=rename(hit.source)) for hit in reply.passages),
        unread=renamed_remarks(reply.unread, rename),
        remarks=renamed_remarks(reply.remarks, rename),
    )
    if not isinstance(reply, ShownReply):
        return reply
    return replace(
        reply,
        documents={rename(name): renamed_source(each, rename) for name, each in reply.documents.items()},
        tables={rename(name): renamed_source(each, rename) for name, each in reply.tables.items()},
    )


def renamed_remarks(remarks: Iterable[Remark], rename: Rename) -> tuple[Remark, ...]:
    """Remarks on sources of other names."""
    return tuple(replace(remark, source=rename(remark.source)) for remark in remarks)


def renamed_source(source: Source, rename: Rename) -> Source:
    """A document or table of another name."""
    if isinstance(source, Document):
        return replace(source, url=rename(source.url))
    return source if isinstance(source, KnowledgeBase) else replace(source, id=rename(source.id))


def shown_base(base: KnowledgeBase, name: str) -> ShownBase:
    """The first triples of a knowledge base; where it is on the disk is nobody's business."""
    return ShownBase(name, tuple(islice(KnowledgeStore.open(base.path).triples(), _SHOWN_TRIPLES)))


def with_sources(reply: Reply, sources: Iterable[ReadSource]) -> ShownReply:
    """The reply with the documents and tables that its answers, conditions and evidence stand in."""
    found = {each.name: each.source for each in sources}
    documents = {name: source for name, source in found.items() if isinstance(source, Document)}
    tables = {name: source for name, source in found.items() if isinstance(source, Table)}
    return ShownReply(**asdict(reply), documents=documents, tables=tables)


def with_tree(reply: Reply) -> Reply:
    """A reply that has its documents and tables, with its tree; any other as it is."""
    if not isinstance(reply, ShownReply):
        return reply
    others = set(reply.tables).difference(reply.documents)
    return replace(reply, tree=answer_tree(reply, reply.documents, reply.tables, others))


def settled(reply: ReplyWithTree, condition: Condition | str, answer: bool) -> Reply:
    """What is left of a reply, and of its tree, once a condition's question is answered."""
    left = settle(reply, {condition: answer})
    if reply.tree is None:
        return left
    fact = condition.casefold() if isinstance(condition, str) else condition.fact
    return replace(left, tree=settled_tree(reply.tree, left, fact, answer))


class LibraryNames:
    """Names that are paths from the root are shown from the folder on that all of them are in."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        known = dict.fromkeys(each for name in names for each in _with_files(name))
        paths = [name for name in known if os.path.isabs(name)]
        try:
            folder = os.path.commonpath([os.path.dirname(path) for path in paths]) if paths else ""
        except ValueError:  # on several drives
            folder = ""
        self._folder = os.path.join(folder, "") if folder else ""
        self._real: dict[str, str] = {}
        for path in paths:
            short = path.removeprefix(self._folder)
            while short in known or short in self._real:
                # Another source has this name.
                short = os.path.join(os.path.basename(folder) or "root", short)
            self._real[short] = path
        self._shown = {path: short for short, path in self._real.items()}

    def shown(self, name: str) -> str:
        """What a client is told."""
        return self._shown.get(name, name)

    def real(self, given: str) -> str:
        """The name of what a client means; of a source that is to come, what it says."""
        return self._real.get(given, given)

    def sentence(self, text: str) -> str:
        """A sentence that may have names in it."""
        return text.replace(self._folder, "") if len(self._folder) > 1 else text


def _with_files(name: str) -> Iterator[str]:
    """The name of a source, and of the file that it may be one of several of: `fees.xlsx#2026` is of `fees.xlsx`."""
    yield name
    while "#" in name:
        name = name.rpartition("#")[0]
        yield name

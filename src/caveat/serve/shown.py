"""A reply as a client sees it: with the names that it knows, and perhaps the texts and tables that it points into."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec.structs import asdict, replace

from caveat.answerers.asking import settle
from caveat.core.answers import Answer, Condition, Place
from caveat.core.records import Document, KnowledgeBase, Remark, Reply, Source, Table
from caveat.render.answer_tree import answer_tree
from caveat.render.tree import ReplyWithTree, settled_tree
from caveat.serve.bodies import ShownReply
from caveat.sources.gather import ReadSource

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

"""The texts and tables of a library that a reply points into, so that a client can show where an answer stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from caveat.core.answers import Answer, Place
from caveat.core.errors import UnknownNameError
from caveat.core.records import Document, Reply, Table
from caveat.serve.bodies import ShownReply

if TYPE_CHECKING:
    from caveat.library.library import Library

__all__ = ["with_sources"]


def with_sources(reply: Reply, library: Library) -> ShownReply:
    """The reply with the documents and tables that its answers, conditions and evidence stand in."""
    documents: dict[str, Document] = {}
    tables: dict[str, Table] = {}
    for name in dict.fromkeys(place.source for answer in reply.answers for place in _places(answer)):
        try:
            source = library.document(name)
        except UnknownNameError:
            continue  # it left the library meanwhile
        if isinstance(source, Document):
            documents[name] = source
        elif isinstance(source, Table):
            tables[name] = source
    return ShownReply(**asdict(reply), documents=documents, tables=tables)


def _places(answer: Answer) -> Iterator[Place]:
    if answer.place is not None:
        yield answer.place
    yield from answer.evidence
    yield from (condition.place for condition in answer.conditions if condition.place is not None)
    for part in answer.parts:
        yield from _places(part)

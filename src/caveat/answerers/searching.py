"""Passages without an answer: what of a collection shares most with some words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from caveat.core.certainty import certainty_of
from caveat.core.languages import HAN, Language, language_of
from caveat.core.records import Hit, Reply, Source
from caveat.language.packs import pack
from caveat.language.question_rewriting import asks_nothing
from caveat.language.tokens import content_words, tokens

if TYPE_CHECKING:
    from caveat.library.choosing import Shelf


class Searchable(Protocol):
    """What has passages: a collection."""

    @property
    def shelves(self) -> Sequence[Shelf]:
        """What has an index."""
        ...

    def whole_sources(self) -> Sequence[Source]:
        """What has none."""
        ...


# What a reply that is not sure of anything shows instead.
_SHOWN = 3
_WORD = re.compile(rf"[^\W_{HAN}]+(?:['’][^\W_{HAN}]+)?")


def search(
    collection: Searchable, words: str, *, top: int = 10, language: Language | None = None
) -> list[Hit]:
    """The passages of a collection that fit words best, best first, and where in each of them the words stand.

    Triples have no passages.
    """
    from caveat.library.state import state_in_memory

    found = [
        msgspec.structs.replace(hit, source=shelf.shown(hit.source))
        for shelf in collection.shelves
        for hit in shelf.state().search(words, top)
    ]
    if whole := collection.whole_sources():
        found += state_in_memory(whole).search(words, top)
    found.sort(key=lambda hit: -hit.score)
    asked = content_words(words, language or language_of(words))
    return [msgspec.structs.replace(hit, marked=tuple(_marked(hit.text, asked))) for hit in found[:top]]


def with_passages(reply: Reply, collection: Searchable) -> Reply:
    """The reply; where it is not answered, or the answer is less than a guess, with passages that may help."""
    sure = reply.answered and certainty_of(reply.answers[0].score) != "unsure"
    question = reply.question
    if sure or asks_nothing(question.text):
        return reply
    passages = tuple(search(collection, question.text, top=_SHOWN, language=question.spoken))
    return msgspec.structs.replace(reply, passages=passages)


def _marked(text: str, asked: list[str]) -> Iterator[tuple[int, int]]:
    """Where words of a question stand in a text, in any of their forms; what touches is one span."""
    wanted = set(asked)
    own = pack(language_of(text))
    spans = [
        found.span() for found in _WORD.finditer(text) if wanted.intersection(tokens(found[0], own.stem))
    ]
    for pair in wanted:
        if re.match(f"[{HAN}]", pair):
            spans += (found.span() for found in re.finditer(re.escape(pair), text))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    yield from joined

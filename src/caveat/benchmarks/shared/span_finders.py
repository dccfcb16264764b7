"""What finds all spans that answer a question: a tagger, or a reader whose best span is taken apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import tee
from pathlib import Path
from typing import Protocol

from caveat.answerers.documents.spans import items_of
from caveat.core.files import PathLike
from caveat.models.card import Card, read_card
from caveat.models.embedded import find
from caveat.models.reader import Reader
from caveat.models.tagger import TaggedSpan, Tagger, TagResult
from caveat.models.windowed import ReadRequest

__all__ = ["ListingReader", "SpanFinder", "load_finder"]

_KIND = "answer"


class SpanFinder(Protocol):
    """A model that finds spans of some kinds."""

    @property
    def folder(self) -> Path: ...

    @property
    def card(self) -> Card: ...

    @property
    def kinds(self) -> tuple[str, ...]: ...

    def tag(self, requests: Iterable[ReadRequest]) -> Iterator[TagResult]:
        """A result a request, in order."""
        ...


class ListingReader:
    """A reader of questions that ask for several things: its best span, item by item where it lists some."""

    kinds = (_KIND,)

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.folder, self.card = reader.folder, reader.card

    def tag(self, requests: Iterable[ReadRequest]) -> Iterator[TagResult]:
        """A result a request, in order; no spans where question or text is empty."""
        asked, read = tee(requests)
        for request, result in zip(asked, self.reader.read(read), strict=True):
            spans: list[TaggedSpan] = []
            for choice in self.reader.weigh([result]).choices[:1]:
                best = choice.places[0][1]
                items = items_of(request.text, best.start, best.end, several=True)
                spans += (
                    TaggedSpan(_KIND, request.text[start:end], start, end, choice.probability)
                    for start, end in items or [(best.start, best.end)]
                )
            yield TagResult(tuple(spans))


def load_finder(
    task: str,
    model: PathLike,
    *,
    window: int | None = None,
    stride: int | None = None,
    threads: int | None = None,
) -> SpanFinder:
    """The tagger of a model's name or folder; for a task without kinds of span it may be a reader."""
    folder = find(model)
    if task == "multispan" and read_card(folder).task == "reader":
        return ListingReader(Reader.load(folder, window=window, stride=stride, threads=threads))
    return Tagger.load(folder, window=window, stride=stride, threads=threads)

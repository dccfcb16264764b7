"""Caveat in a pipeline of Haystack: a reader in place of its ExtractiveReader, and a retriever over a library."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec

from caveat.answerers.engine import Engine, load
from caveat.core.answers import Answer
from caveat.core.loading import needs_extra
from caveat.core.records import Document as Text
from caveat.library.library import Library
from caveat.sources.plain_text import parse_plain_text

try:
    from haystack import Document, ExtractedAnswer, component
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        needs_extra("caveat.integrations.haystack", "Haystack", "haystack"), name=error.name
    ) from error


@component
class CaveatReader:
    """Answers a query from documents; `meta` of an answer has its kind, its conditions, its evidence and its parts.

    Offsets are into the document's content. The last answer has no data where `no_answer` is wanted: its score is the
    probability that the documents do not answer the query.
    """

    def __init__(self, models: list[str] | None = None, top_k: int = 5, no_answer: bool = True) -> None:
        """Without `models` (names or folders) those that come with Caveat are used."""
        self.models, self.top_k, self.no_answer = models, top_k, no_answer

    @cached_property
    def _engine(self) -> Engine:
        return load(self.models)

    @component.output_types(answers=list[ExtractedAnswer])
    def run(
        self, query: str, documents: list[Document], top_k: int | None = None, scenario: str = ""
    ) -> dict[str, list[ExtractedAnswer]]:
        """The most probable answers first; `scenario` is what the asker says about themselves."""
        by_id = {document.id: document for document in documents if document.content}
        if not by_id:
            return {"answers": []}
        texts = [_text(document) for document in by_id.values()]
        reply = self._engine.ask(query, *texts, scenario=scenario, top=top_k or self.top_k)
        answers = [_extracted(query, answer, by_id) for answer in reply.answers]
        if self.no_answer:
            answers.append(ExtractedAnswer(query=query, score=reply.unanswerable))
        return {"answers": answers}


@component
class CaveatRetriever:
    """The passages of a library that fit a query best; `meta` has the source, the offsets and the headings."""

    def __init__(self, library: str, top_k: int = 10) -> None:
        """`library` is the folder that `caveat index` has made."""
        self.library, self.top_k = library, top_k

    @cached_property
    def _opened(self) -> Library:
        return Library.open(self.library)

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """The best passage first."""
        hits = self._opened.search(query, top_k or self.top_k)
        return {
            "documents": [
                Document(
                    content=hit.text,
                    score=hit.score,
                    meta={
                        "source": hit.source,
                        "start": hit.start,
                        "end": hit.end,
                        "headings": [*hit.headings],
                    },
                )
                for hit in hits
            ]
        }


def _text(document: Any) -> Text:
    parsed = parse_plain_text(document.content)
    return msgspec.structs.replace(parsed, url=document.id, title=str(document.meta.get("title", "")))


def _extracted(query: str, answer: Answer, documents: dict[str, Any]) -> Any:
    place = answer.place
    offset = None
    if place is not None and place.start is not None and place.end is not None:
        offset = ExtractedAnswer.Span(place.start, place.end)
    raw = msgspec.to_builtins(answer)
    return ExtractedAnswer(
        query=query,
        score=answer.score,
        data=answer.text,
        document=documents.get(place.source) if place is not None else None,
        document_offset=offset,
        meta={name: raw[name] for name in ("kind", "conditions", "evidence", "parts") if name in raw},
    )

"""Caveat in a chain of LangChain: a retriever over a library, and a reader that answers from documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from caveat.answerers.engine import Engine, load
from caveat.core.files import PathLike
from caveat.core.loading import needs_extra
from caveat.core.records import Document as Text
from caveat.library.library import Library
from caveat.sources.plain_text import parse_plain_text

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable, RunnableLambda
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        needs_extra("caveat.integrations.langchain", "LangChain", "langchain"), name=error.name
    ) from error

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun


class CaveatRetriever(BaseRetriever):
    """The passages of a library that fit a query best, the best first.

    `metadata` of a document has its source, its offsets there, its headings and its score.
    """

    library: Any
    top: int = 10

    @classmethod
    def open(cls, folder: PathLike, top: int = 10) -> CaveatRetriever:
        """Of the folder that `caveat index` has made."""
        return cls(library=Library.open(folder), top=top)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [
            Document(
                page_content=hit.text,
                metadata={name: value for name, value in msgspec.to_builtins(hit).items() if name != "text"},
            )
            for hit in self.library.search(query, self.top)
        ]


def caveat_reader(engine: Engine | None = None, top: int = 5) -> Runnable[dict[str, Any], dict[str, Any]]:
    """Takes `question`, `documents` and perhaps `scenario`, and gives a reply as `caveat ask --json` prints it.

    Places name a document by its id, else by its source, else by its number from 1; offsets are into its content.
    """
    answering = engine or load()

    def answered(given: dict[str, Any]) -> dict[str, Any]:
        texts = [_text(document, number) for number, document in enumerate(given["documents"], 1)]
        reply = answering.ask(given["question"], *texts, scenario=given.get("scenario", ""), top=top)
        return dict(msgspec.to_builtins(reply))

    return RunnableLambda(answered)


def _text(document: Document, number: int) -> Text:
    name = document.id or document.metadata.get("source") or number
    title = str(document.metadata.get("title", ""))
    return msgspec.structs.replace(parse_plain_text(document.page_content), url=str(name), title=title)

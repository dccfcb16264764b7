"""An assistant's tools by the Model Context Protocol: ask, settle, search."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from caveat.answerers.asking import settle as settled
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.core.loading import needs_extra
from caveat.core.records import Remark, Reply
from caveat.serve.bodies import InlineSource
from caveat.serve.inline import InlineSources
from caveat.serve.start import library_of

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from caveat.answerers.engine import Engine
    from caveat.library.library import Library


_INSTRUCTIONS = """Answers questions from texts, tables and triples, and says under which conditions each answer holds.
Answers are quoted from the sources, with their places; scores are probabilities, and `unanswerable` is the
probability that the sources do not answer the question. Where an answer has `conditions`, ask the user the
condition's `question`, and hand their yes or no to `settle`."""

Result = TypeVar("Result")


def assistant(engine: Engine, library: Library | None = None) -> MCPServer[Any]:
    """The tools, of an engine and perhaps a library."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    server: MCPServer[Any] = MCPServer("caveat", instructions=_INSTRUCTIONS, log_level="ERROR")
    inline = InlineSources(engine.prepare)

    async def apart(function: Callable[..., Result], *arguments: Any) -> Result:
        try:
            return await asyncio.to_thread(copy_context().run, function, *arguments)
        except CaveatError as error:
            raise ToolError(str(error)) from None

    def answered(
        question: str, scenario: str, sources: dict[str, str], top: int, language: str | None
    ) -> Reply:
        if sources:
            given = inline.read([InlineSource(name, text) for name, text in sources.items()])
            return given.named(
                engine.ask(question, *given.sources, scenario=scenario, top=top, language=language)
            )
        return engine.ask(question, _needed(library), scenario=scenario, top=top, language=language)

    @server.tool()
    async def ask(
        question: str,
        scenario: str = "",
        sources: dict[str, str] | None = None,
        top: int = 5,
        language: str | None = None,
    ) -> dict[str, Any]:
        """Answer a question, in English or Chinese, from the texts in `sources` (name → text) or else from the library.

        `scenario` is what the user says about themselves: it settles conditions. The names' endings tell what the texts
        are: `.md`, `.html`, `.txt`, `.csv`, `.kb` (triples `subject ||| predicate ||| object`).
        """
        return _builtins(await apart(answered, question, scenario, sources or {}, top, language))

    @server.tool()
    async def settle(reply: dict[str, Any], condition: str, answer: bool) -> dict[str, Any]:
        """What is left of a reply of `ask` once the question of one of its conditions is answered with yes or no."""
        try:
            before = msgspec.convert(reply, Reply)
        except msgspec.ValidationError as error:
            raise ToolError(f"This is no reply of `ask`: {error}.") from None
        return _builtins(await apart(settled, before, {condition: answer}))

    @server.tool()
    async def search(question: str, top: int = 10) -> list[dict[str, Any]]:
        """The passages of the library that fit a question best, each with its source, its place and its headings."""
        return [_builtins(hit) for hit in await apart(lambda: _needed(library).search(question, top))]

    return server


def serve_assistant(
    folder: PathLike | None = None,
    *,
    models: Sequence[PathLike] | None = None,
    threads: int | None = None,
    budget: str | None = None,
    unread: Callable[[Remark], None] = lambda remark: None,
) -> None:
    """Serve the tools over standard input and output until that ends.

    `folder` is a library, or a folder of sources; `unread` is told what of it is left out.
    """
    from caveat.answerers.engine import load

    try:
        import mcp.server as _  # noqa: F401
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra("`caveat mcp`", error.name, "mcp")) from error
    with library_of(folder, unread) as library:
        assistant(load(models, threads=threads, budget=budget), library).run("stdio")


def _needed(library: Library | None) -> Library:
    if library is None:
        raise CaveatError("There is no library: give `sources`, or start `caveat mcp DIR`.")
    return library


def _builtins(record: msgspec.Struct) -> dict[str, Any]:
    return dict(msgspec.to_builtins(record))

"""The API: each route takes a record, calls the plain function that the command calls, and answers with its record."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import FastAPI, Request, Response
from msgspec.structs import asdict, replace
from starlette.exceptions import HTTPException

from caveat.answerers.asking import Collection, Plan
from caveat.answerers.engine import check_top, checked_question
from caveat.answerers.searching import search, with_passages
from caveat.benchmarks.task import EvaluationOptions
from caveat.benchmarks.verbs import evaluate, evaluate_official
from caveat.core.errors import CaveatError, InputError, UnknownNameError
from caveat.core.limits import current_limits
from caveat.core.records import Document, Hit, KnowledgeBase, Question, Reply, Source, Table
from caveat.library.catalogue import Entry
from caveat.library.choosing import Shelf
from caveat.library.qdrant.nodes import is_address
from caveat.library.writing import Added
from caveat.models.embedded import Description, list_models
from caveat.render.tree import ReplyWithTree
from caveat.serve.batching import Asking, Line
from caveat.serve.bodies import (
    AskBody,
    EvalBody,
    Health,
    InlineSource,
    SearchBody,
    SettleBody,
    ShownBase,
    ShownReply,
)
from caveat.serve.guard import Guard, holders_of
from caveat.serve.inline import ChosenSources, Given, InlineSources, checked_name, followed, size_of
from caveat.serve.logs import NO_SPANS, Spans
from caveat.serve.metrics import Metrics
from caveat.serve.routes import (
    STATIC,
    BusyError,
    Progress,
    Route,
    add_page,
    add_routes,
    json_response,
    record_of,
    respond,
    version,
)
from caveat.serve.shown import (
    LibraryNames,
    renamed,
    renamed_remarks,
    renamed_source,
    settled,
    shown_base,
    with_sources,
    with_tree,
)
from caveat.serve.workers import Workers

if TYPE_CHECKING:
    from caveat.answerers.engine import Engine
    from caveat.library.library import Library
    from caveat.library.state import State

# Requests whose sources are read, or files scored, at a time; what takes long is done beside them.
_READERS = 2

# How often a client is told how far the answer is.
_TOLD_SECONDS = 0.5

Result = TypeVar("Result")
Say = Callable[[Progress], None]


def application(
    engine: Engine,
    library: Library | None = None,
    token: str | None = None,
    *,
    address: str = "127.0.0.1",
    spans: Spans = NO_SPANS,
    lasts: bool = True,
) -> FastAPI:
    """The API and the page, of an engine and perhaps a library.

    `address` is the one that is listened on: at a loopback address only requests to this machine's own names are
    answered. Where there is a token, everything but the page's files and /health asks for it. `spans` are told what a
    request was doing, and how long. A library that is gone with the server does not last.
    """
    metrics = Metrics()
    service = _Service(engine, library, metrics, spans, lasts)
    api = FastAPI(title="Caveat", version=version(), docs_url=None, redoc_url=None, lifespan=service.lifespan)
    api.add_middleware(Guard, address=address, admits=holders_of(token), counted=metrics.count, spans=spans)
    add_routes(api, service.routes())
    api.get("/metrics", include_in_schema=False)(service.metrics)
    add_page(api, STATIC)
    return api


class _Service:
    def __init__(
        self, engine: Engine, library: Library | None, metrics: Metrics, spans: Spans, lasts: bool
    ) -> None:
        self._engine, self._library, self._metrics, self._spans = engine, library, metrics, spans
        self._lasts = lasts
        self._inline = InlineSources(engine.prepare)
        self._chosen = ChosenSources()
        self._under_way = 0
        self._known_names: tuple[State | None, LibraryNames] = None, LibraryNames()
        self._readers: Workers
        self._line: Line
        metrics.watch_models(engine.sessions())
        metrics.watch_kept({"prepared": engine.kept, "requests": self._inline.kept})
        metrics.watch("under_way", "Requests that are worked on, or wait to be.", lambda: self._under_way)
        metrics.watch("waiting", "Questions that wait in line.", lambda: len(self._line))

    def routes(self) -> Iterator[Route]:
        yield "POST", "/ask", self.ask, AskBody, ShownReply
        yield "POST", "/search", self.search, SearchBody, list[Hit]
        yield "POST", "/settle", self.settle, SettleBody, ReplyWithTree
        yield "POST", "/eval/{task}", self.evaluate, EvalBody, dict[str, Any]
        yield "GET", "/library", self.library, None, list[Entry]
        yield "GET", "/library/{source:path}", self.source, None, Document | Table | ShownBase
        yield "PUT", "/library/{source:path}", self.put, bytes, Added
        yield "DELETE", "/library/{source:path}", self.remove, None, dict[str, int]
        yield "GET", "/models", self.models, None, list[Description]
        yield "GET", "/health", self.health, None, Health

    @asynccontextmanager
    async def lifespan(self, api: FastAPI) -> AsyncIterator[None]:
        self._readers = Workers(_READERS, "caveat-sources")
        self._line = Line(self._engine, self._metrics)
        self._line.start()
        yield
        await self._line.stop()
        await self._readers.stop()

    async def ask(self, request: Request) -> Response:
        """Answer a question from the sources in the request, from the library, or from both."""
        body, follow_up = followed(await record_of(request, AskBody))

        async def work(say: Say) -> Reply:
            question = _question(body)
            given = await self._given(body.sources, say)
            shelf = await self._shelf_of(body)
            if shelf is not None:
                reply = await self._ask_library(body, question, shelf, given, say)
            else:
                found = await self._answer(body, question, given.sources, say, body.top)
                found = await self._apart(with_passages, found, Collection(given.sources))
                reply = given.named(found)
                if body.documents:
                    reply = ShownReply(**asdict(reply), documents=given.documents(), tables=given.tables())
            if not body.documents:
                return reply
            return replace(await self._apart(with_tree, reply), follow_up=follow_up)

        return await self._respond(request, work)

    async def search(self, request: Request) -> Response:
        """The passages of the sources in the request, of the library, or of both that fit words best."""
        body = await record_of(request, SearchBody)

        async def work(say: Say) -> list[Hit]:
            check_top(body.top)
            given = await self._given(body.sources, say)
            shelf = await self._shelf_of(body)
            collection = Collection(given.sources, (shelf,) if shelf else ())
            say(Progress("search"))
            with self._stage("search"):
                hits = await self._apart(partial(search, collection, body.words, top=body.top))
            names = await self._names() if shelf else LibraryNames()
            return [replace(hit, source=names.shown(hit.source)) for hit in hits]

        return await self._respond(request, work)

    async def _given(self, sources: Sequence[InlineSource], say: Say) -> Given:
        if not sources:
            return Given(())

        def done(number: int) -> None:
            if number < len(sources):
                say(Progress("read", number, len(sources)))

        say(Progress("read", 0, len(sources)))
        with self._stage("read"):
            return await self._apart(self._inline.read, sources, done, size=sum(map(size_of, sources)))

    async def _shelf_of(self, body: AskBody | SearchBody) -> Shelf | None:
        """What of the library is asked; None where nothing is."""
        if body.library is None and self._library is not None and not body.sources:
            return Shelf(self._shelf().state)
        if body.library is True:
            return Shelf(self._shelf().state)
        if body.library:
            names = await self._names()
            library = self._shelf()
            return await self._apart(self._chosen.of, library, [names.real(name) for name in body.library])
        if not body.sources:
            raise InputError("There is no source to answer from: give `sources`.")
        return None

    async def _ask_library(
        self, body: AskBody, question: Question, shelf: Shelf, given: Given, say: Say
    ) -> Reply:
        collection = Collection(given.sources, (shelf,))
        while True:
            say(Progress("search"))
            with self._stage("search"):
                plan = await self._apart(Plan.of, self._engine, question, collection)
            try:
                own = (
                    [await self._answer(body, plan.spelt, given.sources, say, body.top)]
                    if given.sources
                    else []
                )
                replies = [
                    await self._answer(body, plan.spelt, each.sources, say, each.wanted(body.top))
                    for each in plan.chosen
                    if each.sources
                ]
                break
            except InputError:
                if await self._apart(plan.holds):
                    raise
        reply = plan.reply(iter((*own, *replies)), body.top)
        reply = await self._apart(with_passages, reply, collection)
        if body.documents:
            reply = with_sources(reply, await self._apart(collection.behind, reply))
        return given.named(renamed(reply, (await self._names()).shown))

    async def _answer(
        self, body: AskBody, question: Question, sources: tuple[Source, ...], say: Say, top: int
    ) -> Reply:
        say(Progress("wait"))
        before = self._parts_read()
        with self._spans.of("answer"):
            answered = asyncio.ensure_future(self._line.ask(Asking(question, sources, top, not body.flat)))
            try:
                while not (await asyncio.wait({answered}, timeout=_TOLD_SECONDS))[0]:
                    # With several at work nobody can tell whose parts were read.
                    if self._under_way == 1:
                        say(Progress("answer", self._parts_read() - before))
                return await answered
            finally:
                answered.cancel()

    def _parts_read(self) -> int:
        """How many batches of passages the models have read so far."""
        return sum(session.batches for _, session in self._engine.sessions())

    async def library(self) -> Response:
        """What is in the library."""
        entries = await self._apart(self._shelf().entries)
        names = await self._names()
        return json_response([replace(entry, source=names.shown(entry.source)) for entry in entries])

    async def source(self, source: str) -> Response:
        """A source of the library: its text, or its table."""
        library, names = self._shelf(), await self._names()
        try:
            found = await self._apart(library.document, names.real(source))
        except UnknownNameError as error:
            raise HTTPException(404, names.sentence(str(error))) from None
        if isinstance(found, KnowledgeBase):
            return json_response(await self._apart(shown_base, found, source))
        return json_response(renamed_source(found, names.shown))

    async def put(self, request: Request, source: str) -> Response:
        """Put a file into the library, in place of what has its name; the body is the file."""
        library, data = self._shelf(), await request.body()

        async def work(say: Say) -> Added:
            say(Progress("index"))
            names = await self._names()
            with self._stage("index"):
                added = await self._to_its_end(library.put, names.real(checked_name(source)), data)
            return replace(
                added,
                unread=renamed_remarks(added.unread, names.shown),
                remarks=renamed_remarks(added.remarks, names.shown),
            )

        return await self._respond(request, work)

    async def remove(self, request: Request, source: str) -> Response:
        """Take a file out of the library; folders are not removed at once."""
        library = self._shelf()

        async def work(say: Say) -> dict[str, int]:
            names = await self._names()
            try:
                return {"removed": await self._to_its_end(library.remove_file, names.real(source))}
            except UnknownNameError as error:
                raise HTTPException(404, names.sentence(str(error))) from None

        return await self._respond(request, work)

    async def _names(self) -> LibraryNames:
        """How the library's sources are called here; on servers there may be too many to be listed."""
        library = self._shelf()
        if is_address(library.where):
            return self._known_names[1]
        state = await self._apart(library.state)
        if self._known_names[0] is not state:
            entries = await self._apart(library.entries)
            self._known_names = state, LibraryNames(entry.source for entry in entries)
        return self._known_names[1]

    def _shelf(self) -> Library:
        if self._library is None:
            raise HTTPException(404, "This server has no library: `caveat serve DIR` starts it with one.")
        return self._library

    async def settle(self, request: Request) -> Response:
        """The reply once an open condition is answered with yes or no."""
        body = await record_of(request, SettleBody)

        async def work(say: Say) -> Reply:
            return await self._apart(settled, body.reply, body.condition, body.answer)

        return await self._respond(request, work)

    async def evaluate(self, request: Request, task: str) -> Response:
        """Score predictions with a benchmark's metrics."""
        body = await record_of(request, EvalBody)

        async def work(say: Say) -> dict[str, Any]:
            say(Progress("score"))
            with self._stage("score"):
                return await self._apart(_evaluated, task, body, size=len(body.gold) + len(body.pred))

        return await self._respond(request, work)

    async def models(self) -> Response:
        """The models inside the package, with their cards."""
        described = await self._apart(list_models)
        return json_response([_without_path(each) for each in described])

    async def health(self) -> Response:
        """Whether the server is there."""
        limits = current_limits()
        met = {
            name: getattr(limits, name) for name in ("question", "scenario", "body_bytes", "request_sources")
        }
        return json_response(Health("ok", version(), self._library is not None, self._lasts, met))

    async def metrics(self) -> Response:
        """Figures for Prometheus."""
        return Response(self._metrics.text(), media_type=self._metrics.content_type)

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        with self._spans.of(name), self._metrics.timing(name):
            yield

    async def _respond(self, request: Request, work: Callable[[Say], Any]) -> Response:
        if self._under_way >= current_limits().waiting:
            raise BusyError

        async def counted(say: Say) -> Any:
            self._under_way += 1
            try:
                return await work(say)
            finally:
                self._under_way -= 1

        return await respond(request, counted)

    async def _apart(self, function: Callable[..., Result], *arguments: Any, size: int = 0) -> Result:
        """In a thread, so that other clients are attended to meanwhile; given up where the client is not waited for."""
        with self._without_paths():
            return await self._readers.run(function, *arguments, size=size)

    async def _to_its_end(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """The same for what changes the library: that is never given up halfway."""
        with self._without_paths():
            return await self._readers.complete(function, *arguments)

    @contextmanager
    def _without_paths(self) -> Iterator[None]:
        """Errors are told without the places of the library and its files on the disk."""
        try:
            yield
        except UnknownNameError:
            raise
        except CaveatError as error:
            if self._library is None:
                raise
            text = str(error).replace(self._library.where, "the library")
            raise CaveatError(self._known_names[1].sentence(text)) from None


def _question(body: AskBody) -> Question:
    """What is asked, checked before it waits with those of others."""
    check_top(body.top)
    return checked_question(body.question, body.scenario, body.language)


def _evaluated(task: str, body: EvalBody) -> dict[str, Any]:
    """The scorers read files; their names are taken out of what they say."""
    with tempfile.TemporaryDirectory(prefix="caveat-") as folder:
        files = {"gold": body.gold, "pred": body.pred, "na_prob": body.na_prob}
        for name, text in files.items():
            if text is not None:
                Path(folder, name).write_bytes(text.encode())
        na_prob = None if body.na_prob is None else Path(folder, "na_prob")
        options = EvaluationOptions(body.first, na_prob, body.na_threshold, body.skip_no_answer)
        try:
            scored = (evaluate_official if body.official else evaluate)(
                task, Path(folder, "gold"), Path(folder, "pred"), options
            )
        except UnknownNameError as error:
            raise HTTPException(404, str(error)) from None
        except CaveatError as error:
            raise CaveatError(str(error).replace(f"{folder}/", "")) from None
    scores = {**scored.scores, "unknown": len(scored.unknown)}
    return {**scores, "details": scored.details} if body.details else scores


def _without_path(described: Description) -> Description:
    return replace(described, folder=Path(described.folder).name)

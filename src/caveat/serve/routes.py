"""Routes that take records and answer with records: what every application here has.

Work for a client is answered when it is done, or told as it goes on; it is given up when it takes too long or they
leave. OpenAPI describes each route by its records.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.staticfiles import StaticFiles

from caveat.core.errors import CaveatError, InputError
from caveat.core.json_files import decode, encode
from caveat.core.limits import VARIABLE, current_limits
from caveat.serve.bodies import Fault
from caveat.serve.pages import File, api_page, bundled

if TYPE_CHECKING:
    from fastapi import FastAPI

STATIC = Path(__file__).parent / "static"
JSON = "application/json"
EVENTS = "text/event-stream"
_CLIENT_LEFT = 499
# A line that says nothing, so that whoever stands between does not take the connection for dead.
_SILENCE_SECONDS = 15.0
_REFERENCE = "#/components/schemas/{name}"
_FAULTS = {
    400: "The body is not what it has to be.",
    401: "The token is missing or wrong.",
    403: "A request of another site.",
    404: "There is nothing of this name.",
    408: "The request took too long to come.",
    413: "The request is too large.",
    422: "What was asked for cannot be done.",
    503: "Too many requests wait.",
    504: "The answer took too long.",
}

Body = TypeVar("Body")
Route = tuple[str, str, Callable[..., Any], Any, Any]
"""Method, path, function, and the records of its body and its reply."""


class BodyError(Exception):
    """A body that is not the record that it has to be."""


async def record_of(request: Request, type: type[Body]) -> Body:
    """The body of a request."""
    try:
        return decode(await request.body(), type, path="request")
    except InputError as error:
        raise BodyError(str(error)) from None


def add_routes(api: FastAPI, routes: Iterable[Route]) -> None:
    """Add the routes, what is said of them, and a sentence for each thing that can go wrong."""
    for error in (CaveatError, BusyError, TimeoutError, BodyError):
        api.add_exception_handler(error, _failed)
    api.add_exception_handler(HTTPException, _no_route)
    records: set[Any] = {Fault}
    for method, path, function, body, reply in routes:
        records |= {body, reply}
        api.add_api_route(
            path,
            function,
            methods=[method],
            response_class=Response,
            responses=_responses_of(reply),
            openapi_extra=_takes(body) if body is not None else None,
        )
    _described(api, list(records - {None, bytes}))


def add_page(api: FastAPI, folder: Path) -> None:
    """Show the page of a folder at the root, and its files."""
    folders = {"static/": STATIC, f"static/{folder.parent.name}/": folder}
    page = folder / "index.html"
    files = bundled(page, folders) if page.is_file() else {}

    def add(address: str, file: File) -> None:
        async def sent(request: Request) -> Response:
            takes_gzip = "gzip" in request.headers.get("accept-encoding", "")
            headers = {"Vary": "Accept-Encoding"}
            if address:  # its name changes with what is in it
                headers["Cache-Control"] = "public, max-age=31536000, immutable"
            if takes_gzip:
                headers["Content-Encoding"] = "gzip"
            content = file.compressed if takes_gzip else file.content
            return Response(content, headers=headers, media_type=file.type)

        api.get(f"/{address}", include_in_schema=False)(sent)

    for address, file in files.items():
        add(address, file)

    async def docs() -> Response:
        return Response(api_page(api.openapi()), media_type="text/html; charset=utf-8")

    api.get("/docs", include_in_schema=False)(docs)
    if folder != STATIC:
        api.mount(f"/static/{folder.parent.name}", StaticFiles(directory=folder, check_dir=False))
    api.mount("/static", StaticFiles(directory=STATIC, check_dir=False), "static")


def version() -> str:
    """The package's."""
    from importlib.metadata import version

    return version("caveat")


async def _failed(request: Request, error: Exception) -> Response:
    return fault(400, str(error)) if isinstance(error, BodyError) else fault(*status_of(error))


async def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentences = {
        404: "There is nothing at this address.",
        405: "This address does not take requests of this kind.",
    }
    plain = error.detail in ("Not Found", "Method Not Allowed")
    sentence = sentences.get(error.status_code, error.detail) if plain else error.detail
    response = fault(error.status_code, sentence)
    response.headers.update(error.headers or {})
    return response


class Progress(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is being done, and how much of it is."""

    stage: str
    done: int = 0
    of: int | None = None


Work = Callable[[Callable[[Progress], None]], Awaitable[Any]]
"""Told where to say how far it is; gives what is to be answered."""


class BusyError(Exception):
    """More wait already than may."""


def status_of(error: BaseException) -> tuple[int, str]:
    """The status and the sentence for what went wrong; of our own faults nothing is told."""
    if isinstance(error, InputError) and error.path is not None and os.path.isabs(error.path):
        # A model's file, as it may be: where it is on the disk is nobody's business.
        return 422, str(error).replace(str(error.path), os.path.basename(error.path))
    if isinstance(error, CaveatError):
        return 422, str(error)
    if isinstance(error, HTTPException):
        return error.status_code, error.detail
    if isinstance(error, TimeoutError):
        seconds = current_limits().answer_seconds
        return (
            504,
            f"The answer took more than {seconds:,} seconds (`answer_seconds`; "
            f"{VARIABLE}=answer_seconds=… changes it).",
        )
    if isinstance(error, BusyError):
        return 503, "Too many requests are waiting; ask again in a moment."
    return 500, "Something went wrong in the server; its log says what."


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A record as the command prints it."""
    return Response(encode(value), status, headers, media_type=JSON)


def fault(status: int, sentence: str) -> Response:
    """An error as a sentence."""
    return json_response(Fault(sentence), status, {"Retry-After": "1"} if status == 503 else None)


async def respond(request: Request, work: Work) -> Response:
    """What the work gives, as JSON; or its progress and then that, as events, where the client wants those."""
    if EVENTS in request.headers.get("accept", ""):
        return StreamingResponse(_events(work), media_type=EVENTS, headers={"X-Accel-Buffering": "no"})
    task = asyncio.ensure_future(_within_limits(work, lambda progress: None))
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            return Response(status_code=_CLIENT_LEFT)
        return json_response(task.result())
    finally:
        for each in (task, leaving):
            each.cancel()


async def _within_limits(work: Work, say: Callable[[Progress], None]) -> Any:
    async with asyncio.timeout(current_limits().answer_seconds):
        return await work(say)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _events(work: Work) -> AsyncIterator[str]:
    said: asyncio.Queue[Progress] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def say(progress: Progress) -> None:
        loop.call_soon_threadsafe(said.put_nowait, progress)

    task = asyncio.ensure_future(_within_limits(work, say))
    try:
        while not task.done() or not said.empty():
            following = asyncio.ensure_future(said.get())
            done, _ = await asyncio.wait(
                {task, following}, timeout=_SILENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if following in done:
                yield _event("progress", following.result())
            else:
                following.cancel()
                if not done:
                    yield ": waiting\n\n"
        try:
            yield _event("reply", task.result())
        except Exception as error:
            yield _event("error", Fault(status_of(error)[1]))
    finally:
        task.cancel()


def _event(name: str, value: Any) -> str:
    # JSON of ours has no line breaks in it.
    return f"event: {name}\ndata: {encode(value)}\n\n"


def _takes(body: Any) -> dict[str, Any]:
    """A route's body: JSON of a record, or bytes."""
    content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    if body is not bytes:
        content = {JSON: {"schema": _schema(body)}}
    return {"requestBody": {"required": True, "content": content}}


def _responses_of(reply: Any) -> dict[int | str, dict[str, Any]]:
    """A route's replies: a record, and a sentence for each thing that can go wrong."""
    faults: dict[int | str, dict[str, Any]] = {
        status: {"description": what, "content": {JSON: {"schema": _schema(Fault)}}}
        for status, what in _FAULTS.items()
    }
    return {200: {"description": "Done.", "content": {JSON: {"schema": _schema(reply)}}}, **faults}


def _described(api: FastAPI, records: Sequence[Any]) -> None:
    """Put the schemas of the records, and of what they are made of, under the routes' references."""
    plain = api.openapi

    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            found = plain()
            components = found.setdefault("components", {})
            components["schemas"] = msgspec.json.schema_components(records, ref_template=_REFERENCE)[1]
        return api.openapi_schema or {}

    api.openapi = openapi  # type: ignore[method-assign]


def _schema(record: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([record], ref_template=_REFERENCE)
    return schema

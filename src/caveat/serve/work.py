"""Work for a client: answered when it is done, or told as it goes on; given up when it takes too long or they leave."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from caveat.core.errors import CaveatError, InputError
from caveat.core.json_files import encode
from caveat.core.limits import VARIABLE, current_limits
from caveat.serve.bodies import Fault

JSON = "application/json"
EVENTS = "text/event-stream"
_CLIENT_LEFT = 499
# A line that says nothing, so that whoever stands between does not take the connection for dead.
_SILENCE_SECONDS = 15.0


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

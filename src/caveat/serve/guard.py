"""What stands before every route: who may ask, how large and how slow a request may be, which headers go back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from hmac import compare_digest
from time import perf_counter
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

from caveat.core.errors import one_line
from caveat.core.json_files import encode
from caveat.core.limits import VARIABLE, current_limits
from caveat.serve.bodies import Fault
from caveat.serve.connections import is_from_elsewhere
from caveat.serve.logs import LOGGER, NO_SPANS, Spans, log_request

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The page, its files, what the routes are, and whether there is anyone: what is there before a token can be given.
_OPEN_PATHS = ("/", "/docs", "/health")
_OPEN_FOLDER = "/static/"
# Of a request that is refused so much is passed over, for so long: else the client may not see why.
_PASSED_BYTES, _PASSED_SECONDS = 8 << 20, 1.0
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}

Counted = Callable[[str, str, int], None]
Admits = Callable[[str], bool]
"""Whether a token opens the door."""


def holders_of(token: str | None) -> Admits | None:
    """Only who has this one token; everyone where there is none."""
    if token is None:
        return None
    expected = token.encode()
    return lambda given: compare_digest(given.encode("latin-1"), expected)


class Guard:
    """Refuses what must not be answered, reads the body within its limits, and hands the rest on."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        address: str,
        admits: Admits | None,
        counted: Counted = lambda method, route, status: None,
        spans: Spans = NO_SPANS,
    ) -> None:
        self._app, self._address, self._counted, self._spans = app, address, counted, spans
        self._admits = admits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        status = 0
        begin = perf_counter()
        # What answers GET answers HEAD too: the server sends the head of its answer alone.
        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            refused = self._refused(scope)
            if refused is not None:
                await _refuse(scope, receive, answer, *refused)
                return
            body, problem = await _body(scope, receive)
            if problem is not None:
                await _refuse(scope, receive, answer, *problem)
            elif body is not None:
                with self._spans.of("request"):
                    await self._app(inner, _once(body, receive), answer)
        except Exception:
            LOGGER.exception("%s %s failed", scope["method"], one_line(scope["path"], 200))
            if not status:
                await _refuse(
                    scope, _gone, answer, 500, "Something went wrong in the server; its log says what."
                )
        finally:
            route = getattr(inner.get("route"), "path", "none")
            self._counted(scope["method"], route, status)
            log_request(scope["method"], route, status, perf_counter() - begin)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if is_from_elsewhere(headers.get("host", ""), headers.get("origin"), self._address):
            return (
                403,
                "Requests of other sites, or under a name that is not this server's, are not answered.",
            )
        if "content-length" in headers and "transfer-encoding" in headers:
            # Whoever stands between may see another end of the request than we do (RFC 9112, 6.1).
            return 400, "A request has either a Content-Length or a Transfer-Encoding."
        path = scope["path"]
        if self._admits is None or path in _OPEN_PATHS or path.startswith(_OPEN_FOLDER):
            return None
        token = bearer_of(headers)
        if token is None or not self._admits(token):
            return 401, "The header `Authorization: Bearer TOKEN` has to hold the server's token."
        return None


def bearer_of(headers: Headers) -> str | None:
    """The token that a request brings."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token if scheme == "Bearer" else None


async def _body(scope: Scope, receive: Receive) -> tuple[bytes | None, tuple[int, str] | None]:
    """The body, or why it is refused; neither where the client has left."""
    limits = current_limits()
    most = limits.body_bytes
    large = (
        413,
        f"The request has more than {most:,} bytes (`body_bytes`; {VARIABLE}=body_bytes=… changes it).",
    )
    declared = Headers(scope=scope).get("content-length", "0")
    if declared.isascii() and declared.isdecimal() and int(declared[:20]) > most:
        return None, large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.request_seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None, None
                part = message.get("body", b"")
                size += len(part)
                if size > most:
                    return None, large
                parts.append(part)
                if not message.get("more_body", False):
                    return b"".join(parts), None
    except TimeoutError:
        seconds = limits.request_seconds
        return None, (
            408,
            f"The request took more than {seconds:,} seconds to come (`request_seconds`; "
            f"{VARIABLE}=request_seconds=… changes it).",
        )


def _once(body: bytes, receive: Receive) -> Receive:
    """The body in one piece, then whatever comes: that the client leaves."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return left.pop() if left else await receive()

    return next_message


async def _gone() -> Message:
    return {"type": "http.disconnect"}


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, sentence: str) -> None:
    body = encode(Fault(sentence)).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await _pass_over(scope, receive)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _pass_over(scope: Scope, receive: Receive) -> None:
    left = _PASSED_BYTES
    try:
        async with asyncio.timeout(_PASSED_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
    except TimeoutError:
        return

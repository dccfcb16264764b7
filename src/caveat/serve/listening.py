"""The API at an address, until it is told to stop; requests under way are answered before it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from ipaddress import ip_address
from socket import AF_INET, AF_INET6, SO_LINGER, SO_REUSEADDR, SOL_SOCKET, socket
from struct import pack
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from caveat.core.errors import CaveatError, UsageError
from caveat.core.json_files import encode
from caveat.core.limits import current_limits
from caveat.serve.bodies import Fault

if TYPE_CHECKING:
    from fastapi import FastAPI

# Clients that are connected; more are told to come again.
_MOST_CLIENTS = 512
_HEAD_BYTES = 32 << 10


class _Patient(H11Protocol):
    """Waits for the head of a request only so long, and says in JSON what is no request."""

    _due: asyncio.TimerHandle | None = None
    _untaken: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        if self._due is None and (self.cycle is None or self.cycle.response_complete):
            self._expect()
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._expect_no_more()

    def pause_writing(self) -> None:
        # A client that does not take its answer is not waited for either.
        self._untaken = self.loop.call_later(current_limits().request_seconds, self._drop)
        super().pause_writing()

    def resume_writing(self) -> None:
        if self._untaken is not None:
            self._untaken.cancel()
        super().resume_writing()

    def _drop(self) -> None:
        """Close at once: what is in the system's buffers would be sent for as long as the client likes."""
        self.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, pack("ii", 1, 0))
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_no_more()
        if self._untaken is not None:
            self._untaken.cancel()
        super().connection_lost(exc)

    def _expect(self) -> None:
        self._due = self.loop.call_later(current_limits().request_seconds, self.transport.close)

    def _expect_no_more(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def send_400_response(self, msg: str) -> None:
        body = encode(Fault("This is no HTTP request, or its head is too long."))
        head = (
            f"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        )
        self.transport.write(f"{head}Connection: close\r\n\r\n{body}".encode())
        self.transport.close()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def bind(host: str, port: int, token: str | None) -> socket:
    """A socket that listens; an address that others reach takes a token."""
    if token is None and not is_loopback(host):
        raise UsageError(
            f"Whoever reaches {host} could ask: --token, or CAVEAT_TOKEN, says what they have to know."
        )
    if token is not None and not (
        token.isascii() and token.isprintable() and token.strip() == token and token
    ):
        raise UsageError("A token is made of printable ASCII characters, without blanks around it.")
    return listen_at(host, port)


def listen_at(host: str, port: int) -> socket:
    """A socket that listens, for whoever reaches it."""
    listening = socket(AF_INET6 if ":" in host else AF_INET)
    listening.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise CaveatError(f"Port {port} of {host} cannot be listened on: {error}.") from error
    return listening


def server_of(api: FastAPI) -> uvicorn.Server:
    """A server that is to be run with sockets."""
    limits = current_limits()
    return uvicorn.Server(
        uvicorn.Config(
            api,
            http=_Patient,
            ws="none",
            lifespan="on",
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=limits.idle_seconds,
            timeout_graceful_shutdown=limits.answer_seconds + limits.request_seconds,
            limit_concurrency=_MOST_CLIENTS,
            h11_max_incomplete_event_size=_HEAD_BYTES,
        )
    )


def run(api: FastAPI, listening: socket, told: Callable[[str], None] = lambda address: None) -> None:
    """Serve until SIGINT or SIGTERM; `told` is told the address once requests are taken."""
    server = server_of(api)
    host, port = listening.getsockname()[:2]
    startup: Any = server.startup

    async def started(sockets: Any = None) -> None:
        await startup(sockets)
        if server.started:
            told(f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/")

    server.startup = started  # type: ignore[method-assign]
    server.run(sockets=[listening])

"""A server that takes so many clients at once, waits for none for ever, and ends after the answers under way."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader
from ipaddress import IPv4Address, IPv6Address, ip_address
from socket import SHUT_RDWR, SHUT_WR, socket
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any

from caveat.core.limits import current_limits

# More wait until one of them leaves; each has a thread.
_MOST_CLIENTS = 64
# How much of a request that was refused is passed over before the connection is closed, and for how long.
_PASSED_BYTES, _PASSED_SECONDS = 1 << 20, 1.0


class Server(ThreadingHTTPServer):
    """Clients beyond the most wait; closing it lets those that are being answered have their answers."""

    daemon_threads = False
    block_on_close = True

    def __init__(self, *arguments: Any) -> None:
        self._room = BoundedSemaphore(_MOST_CLIENTS)
        self._waiting: set[socket] = set()
        # Until when a client may take to send the request it has begun.
        self._due: dict[socket, float] = {}
        self._lock = Lock()
        self._closing = False
        super().__init__(*arguments)

    def waits(self, connection: socket, waiting: bool) -> None:
        """Say whether a client's next request is waited for: nothing is lost if it is closed then."""
        with self._lock:
            if waiting and self._closing:
                _close(connection)
            elif waiting:
                self._waiting.add(connection)
            else:
                self._waiting.discard(connection)

    def receives(self, connection: socket, receiving: bool) -> None:
        """Say whether a request has begun that is not all there: one that comes byte by byte is not waited for."""
        with self._lock:
            if receiving:
                self._due[connection] = monotonic() + current_limits().request_seconds
            else:
                self._due.pop(connection, None)

    def service_actions(self) -> None:
        """What is done every half second."""
        now = monotonic()
        with self._lock:
            for connection in [connection for connection, due in self._due.items() if due < now]:
                del self._due[connection]
                _close(connection)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._room.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def shutdown_request(self, request: Any) -> None:
        """Say that no more comes, and pass over what the client still sends: else an answer to it may be lost."""
        end, left = monotonic() + _PASSED_SECONDS, _PASSED_BYTES
        with suppress(OSError):
            request.shutdown(SHUT_WR)
            while left > 0 and (rest := end - monotonic()) > 0:
                request.settimeout(rest)
                if not (block := request.recv(min(left, 1 << 16))):
                    break
                left -= len(block)
        self.close_request(request)

    def server_close(self) -> None:
        with self._lock:
            self._closing = True
            for connection in self._waiting:
                _close(connection)
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has left, or sends nothing, is no error of ours."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


def _close(connection: socket) -> None:
    with suppress(OSError):
        connection.shutdown(SHUT_RDWR)


class Connection(BaseHTTPRequestHandler):
    """One client, with a time limit for each request."""

    protocol_version = "HTTP/1.1"
    # What is no request is told so as well; in version 0.9 there would be no status to tell it with.
    default_request_version = "HTTP/1.0"
    # Else an answer waits until the client has confirmed its headers, a twentieth of a second later.
    disable_nagle_algorithm = True
    server_version = "Caveat"
    sys_version = ""
    server: Server
    rfile: BufferedReader

    def setup(self) -> None:
        self.request.settimeout(current_limits().request_seconds)
        super().setup()

    def handle_one_request(self) -> None:
        self.server.waits(self.connection, True)
        try:
            self.rfile.peek(1)
            self.server.receives(self.connection, True)
            super().handle_one_request()
        except TimeoutError:
            self.close_connection = True
        finally:
            self.server.waits(self.connection, False)
            self.server.receives(self.connection, False)

    def parse_request(self) -> bool:
        self.server.waits(self.connection, False)
        return super().parse_request()

    def body_length(self) -> int | None:
        """How long the request says that its body is; nothing where that cannot be told for certain."""
        lengths = self.headers.get_all("Content-Length", [])
        if len(lengths) != 1 or "Transfer-Encoding" in self.headers:
            return None
        length = lengths[0].strip(" \t")
        # `int` takes signs, underlines and the figures of all scripts, for which others see another length.
        return int(length) if re.fullmatch("[0-9]{1,18}", length) else None

    def read_body(self, length: int) -> bytes | None:
        """The body, with which the request is all there; nothing where the client has left before."""
        body = self.rfile.read(length)
        self.server.receives(self.connection, False)
        return body if len(body) == length else None

    def body_follows(self) -> bool:
        """Whether more comes with the request than its head."""
        return "Content-Length" in self.headers or "Transfer-Encoding" in self.headers

    def comes_from_elsewhere(self) -> bool:
        """Whether a page of another site sent the request, or one that calls itself by a name that is not ours."""
        address = str(self.server.server_address[0])
        return is_from_elsewhere(self.headers.get("Host", ""), self.headers.get("Origin"), address)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing a request: the client knows what it sent and got."""


def is_from_elsewhere(host: str, origin: str | None, address: str) -> bool:
    """Whether the Origin is another site than the Host, or the Host a name that a server at this address has not."""
    if origin is not None and origin.partition("//")[2] != host:
        return True
    return not is_own_host(host, address)


def is_own_host(host: str, address: str) -> bool:
    """Whether a Host header names a server at this address: one that only this machine reaches has few names."""
    try:
        if not ip_address(address).is_loopback:
            return True
    except ValueError:
        return True
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name.lower() in ("localhost", address):
        return True
    # An address of version 6 stands in brackets; a zone behind it may be any text.
    bracketed = name.startswith("[") and name.endswith("]")
    try:
        return (IPv6Address(name[1:-1]) if bracketed else IPv4Address(name)).is_loopback and "%" not in name
    except ValueError:
        return False

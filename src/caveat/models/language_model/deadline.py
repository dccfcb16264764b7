"""A limit on a whole request: the timeout of a socket is for each read, and a server that drips never meets it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR, create_connection, socket
from threading import Lock, Timer
from typing import Any
from urllib.request import HTTPHandler, HTTPSHandler, Request

__all__ = ["Deadline", "TimedHTTPHandler", "TimedHTTPSHandler", "TimedRequest"]


class Deadline:
    """Ends every connection made under it when the time is over, whatever is being read or written then."""

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._lock = Lock()
        self._ends: list[socket] = []
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._timer.cancel()
        with self._lock:
            for end in self._ends:
                end.close()
            self._ends.clear()

    def connect(self, *arguments: Any, **options: Any) -> socket:
        """A connection; a second handle of it is kept, since TLS takes the first one over."""
        made = create_connection(*arguments, **options)
        with self._lock:
            self._ends.append(made.dup())
            if self.passed:
                _shut(self._ends[-1])
        return made

    def _end(self) -> None:
        with self._lock:
            self.passed = True
            for end in self._ends:
                _shut(end)


def _shut(end: socket) -> None:
    with suppress(OSError):  # the other side has gone already
        end.shutdown(SHUT_RDWR)


class TimedRequest(Request):
    """A request under a deadline."""

    def __init__(self, *arguments: Any, deadline: Deadline, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.deadline = deadline


def _timed(kind: Callable[..., HTTPConnection], request: Request) -> Any:
    """Makes connections of a kind, under the deadline of the request."""

    def make(host: str, **options: Any) -> HTTPConnection:
        connection = kind(host, **options)
        if isinstance(request, TimedRequest):
            vars(connection)["_create_connection"] = request.deadline.connect
        return connection

    return make


class TimedHTTPHandler(HTTPHandler):
    """Opens `http:` under the deadline of the request."""

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_timed(HTTPConnection, req), req)


class TimedHTTPSHandler(HTTPSHandler):
    """Opens `https:` under the deadline of the request."""

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_timed(HTTPSConnection, req), req, context=vars(self)["_context"])

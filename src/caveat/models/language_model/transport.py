"""JSON sent to an endpoint and what comes back: time limits, retries with back-off, and no key in any error."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR, create_connection, gaierror, socket
from ssl import SSLError
from threading import Lock, Timer
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, ProxyHandler, Request, build_opener

import msgspec

from caveat.core.errors import CaveatError, one_line
from caveat.models.language_model.endpoint import KEY_VARIABLE, Endpoint

__all__ = [
    "UNSUPPORTED",
    "Deadline",
    "EndpointError",
    "RefusedError",
    "StatusError",
    "TimedHTTPHandler",
    "TimedHTTPSHandler",
    "TimedRequest",
    "Transport",
]


# A limit on a whole request: the timeout of a socket is for each read, and a server that drips never meets it.


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


# The server is busy or was not ready; the same request may do later.
_LATER = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
UNSUPPORTED = frozenset((400, 415, 422, 500, 501))
"""The statuses with which servers say that they do not have what was asked for."""
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0
_BLOCK, _MOST_BYTES = 1 << 16, 32 << 20
# Errors of a connection that tell that nobody is there, or not who was named; others may pass.
_NOBODY = (ConnectionRefusedError, gaierror, SSLError)
# A model that was too slow once is asked once more: what it was doing may be in the server's own cache by then.
_SLOW_ATTEMPTS = 2
_LONGEST_REASON = 300


class EndpointError(CaveatError):
    """One request could not be answered; others may be."""


class RefusedError(EndpointError):
    """No request can be: nobody listens, or the key or the name of the model is not known there."""


class StatusError(EndpointError):
    """The server answered with an error."""

    def __init__(self, sentence: str, status: int, reason: str, retry_after: str | None = None) -> None:
        super().__init__(sentence)
        self.status, self.reason, self.retry_after = status, reason, retry_after


class _NoRedirect(HTTPRedirectHandler):
    """Whoever an endpoint points to was not named by the user, and does not get the key."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


class Transport:
    """Posts JSON to one endpoint; threads may share it, and all wait where the server asks one of them to."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        timeout: float = 300.0,
        attempts: int = 5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.endpoint, self.timeout, self.attempts, self.retries = endpoint, timeout, attempts, 0
        self._sleep = sleep
        self._not_before = 0.0
        self._answered = False
        self._lock = Lock()
        proxies = [ProxyHandler({})] if endpoint.is_local else []
        self._opener = build_opener(_NoRedirect(), TimedHTTPHandler(), TimedHTTPSHandler(), *proxies)
        self._key = endpoint.key

    def post(self, path: str, body: Any, *, final: Callable[[int, str], bool] = lambda *_: False) -> Any:
        """What the server answers, decoded; raises once it has failed too often, or with an error that is `final`."""
        slow = 0
        for attempt in range(1, self.attempts + 1):
            self._wait_turn()
            try:
                answer = self._posted(path, msgspec.json.encode(body))
            except StatusError as error:
                if (
                    error.status not in _LATER
                    or attempt == self.attempts
                    or final(error.status, error.reason)
                ):
                    raise
                self._put_off(attempt, error.retry_after)
            except TimeoutError:
                slow += 1
                if slow == _SLOW_ATTEMPTS or attempt == self.attempts:
                    raise EndpointError(
                        f"{self._where} has not answered within {self.timeout:g} s, {slow} times."
                    ) from None
            except (URLError, HTTPException, OSError, ValueError) as error:
                reason = getattr(error, "reason", error)
                if isinstance(reason, TimeoutError):
                    raise RefusedError(f"{self._where} cannot be reached: it does not answer.") from None
                if isinstance(reason, _NOBODY) and not self._answered:
                    raise RefusedError(f"{self._where} cannot be reached: {self._said(reason)}") from None
                if attempt == self.attempts:
                    raise EndpointError(f"{self._where} gave no answer: {self._said(reason)}") from None
                self._put_off(attempt, None)
            else:
                self._answered = True
                return answer
            with self._lock:
                self.retries += 1
        raise AssertionError  # the last attempt returns or raises

    def _posted(self, path: str, body: bytes) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "caveat"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        with Deadline(self.timeout) as deadline:
            request = TimedRequest(
                self.endpoint.url + path, data=body, headers=headers, method="POST", deadline=deadline
            )
            try:
                data = self._exchanged(request)
            except StatusError as error:
                if deadline.passed and error.status in _LATER:
                    raise TimeoutError from None
                raise
            except (HTTPException, OSError, ValueError) as error:
                # That nobody is there is known before the time is over.
                connecting = isinstance(error, URLError) and isinstance(error.reason, TimeoutError)
                if deadline.passed and not connecting:
                    raise TimeoutError from None
                raise
            if deadline.passed:
                raise TimeoutError
        try:
            return msgspec.json.decode(data)
        except RecursionError:
            raise ValueError("the answer is nested too deeply") from None

    def _exchanged(self, request: Request) -> bytes:
        """The body of the answer; an error's is read here too, while there is a limit on the time."""
        blocks, size = [], 0
        try:
            with self._opener.open(request, timeout=self.timeout) as answer:
                while block := answer.read1(_BLOCK):
                    blocks.append(block)
                    size += len(block)
                    if size > _MOST_BYTES:
                        raise EndpointError(f"{self._where} answers with more than {_MOST_BYTES:,} bytes.")
                said = answer.headers.get("Content-Length")
                if said is not None and said.isdigit() and size < int(said):
                    raise HTTPException("the answer was cut off")
        except HTTPError as error:
            raise self._status_error(error) from None
        return b"".join(blocks)

    def _status_error(self, error: HTTPError) -> StatusError:
        try:
            reason = _message_of(error.read(_BLOCK)) or str(error.reason)
        except (OSError, HTTPException, ValueError):
            reason = str(error.reason)
        finally:
            error.close()
        said = self._said(reason)
        later = error.headers.get("Retry-After") if error.headers else None
        sentence = f"{self._where} answers {error.code}: {said}"
        if error.code in (401, 403, 404):
            hint = f" ({KEY_VARIABLE} is the key that is sent.)" if error.code != 404 else ""
            return _RefusedStatusError(sentence + hint, error.code, said)
        if 300 <= error.code < 400:
            return _RefusedStatusError(
                f"{self._where} points elsewhere; name that address.", error.code, said
            )
        return StatusError(sentence, error.code, said, later)

    @property
    def _where(self) -> str:
        return f"The language model at {urlsplit(self.endpoint.url).netloc}"

    def _said(self, reason: object) -> str:
        text = str(reason)
        if self._key:
            text = text.replace(self._key, "…")
        text = one_line(" ".join(text.split()), _LONGEST_REASON)
        return text if text.endswith((".", "!", "?")) else f"{text}."

    def _wait_turn(self) -> None:
        wait = self._not_before - time.monotonic()
        if wait > 0:
            self._sleep(wait)

    def _put_off(self, attempt: int, retry_after: str | None) -> None:
        """Nobody sends before the time that the server names, or before a wait that doubles and varies."""
        wait = _seconds(retry_after)
        if wait is None:
            wait = _FIRST_WAIT * 2.0 ** (attempt - 1) * random.uniform(0.75, 1.25)
        with self._lock:
            self._not_before = max(self._not_before, time.monotonic() + min(wait, _LONGEST_WAIT))


class _RefusedStatusError(StatusError, RefusedError):
    """An error that every other request would meet too."""


def _message_of(body: bytes) -> str:
    """The message of an error, in any of the layouts that servers have."""
    try:
        said = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return body.decode("utf-8", "replace").strip()
    if isinstance(said, dict):
        said = said.get("error", said.get("detail", said))
    if isinstance(said, dict):
        said = said.get("message", said)
    return str(said)


def _seconds(retry_after: str | None) -> float | None:
    """Retry-After as seconds from now; it is a number or a date."""
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None  # no date, or one in a year that there is not

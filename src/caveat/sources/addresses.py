"""Addresses (http, https) as files: fetched within limits of size and time, from public addresses alone.

Whatever a page redirects to is looked at as the first address was: a name is looked up once, and what is connected to
is what was looked at. No proxy is asked, no cookie is kept.

Which IP addresses are public is a list of our own: `ipaddress` knows what its version of Python knew, and calls the
addresses public that carry a private one inside. RFC 6890 and the registries iana-ipv4-special-registry and
iana-ipv6-special-registry of 2025: all but those that IANA keeps for something special.
"""

from __future__ import annotations

import mimetypes
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection, IncompleteRead
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import PurePosixPath
from ssl import SSLEOFError
from string import printable
from threading import Timer
from time import monotonic
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
)

from caveat.core.errors import InputError, one_line
from caveat.core.files import uncompressed
from caveat.core.limits import current_limits, over
from caveat.sources.kinds import ENDINGS

_AGENT = "caveat (+question answering from what its user names)"
_BLOCK = 1 << 16
# A connection that says nothing for so long is given up, even where there is time left.
_SILENT = 15.0
_PLAIN, _ANYTHING = "text/plain", "application/octet-stream"
_SPECIAL_V4 = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by the customers of a provider
            "127.0.0.0/8",  # this machine
            "169.254.0.0/16",  # this link; data about a virtual machine
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocols
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # multicast tunnels
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",  # private
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved; broadcast
        ),
    )
)
# Outside of this nothing is given to hosts of the Internet: unique local, link local, multicast, IPv4-compatible.
_GLOBAL_V6 = ip_network("2000::/3")
_SPECIAL_V6 = tuple(
    map(
        ip_network,
        (
            "2001::/23",  # protocols, Teredo and benchmarks among them
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: any IPv4 address, a private one too
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)
# Where a network has no IPv4, these stand for all of its addresses (RFC 6052): the one inside tells.
_TRANSLATED = ip_network("64:ff9b::/96")


def fetch(address: str, *, private: bool = False) -> tuple[bytes, str]:
    """The bytes behind an address, and its name with an ending of the kind that the server says they are of.

    Addresses of this machine and of private networks are refused unless `private` asks for them.
    """
    most = current_limits()
    end = monotonic() + most.seconds
    try:
        with _opened(address, private, most.seconds) as (answer, expired):
            _refuse_parts(answer)
            data = b"".join(_blocks(answer, most.source_bytes, end))
            kind = answer.headers.get_content_type() if answer.headers else _PLAIN
            final = answer.geturl()
        if expired():
            raise TimeoutError
    except _PrivateError as error:
        problem = f"leads to {error}, which is no public address: it is fetched only if --private asks for it"
        raise InputError(problem, path=address) from None
    except InputError as error:
        raise InputError(error.problem, path=address) from None
    except TimeoutError:
        raise over("seconds", f"takes more than {most.seconds:,} s to fetch", path=address) from None
    except HTTPError as error:
        raise InputError(
            f"the server answers {error.code} ({one_line(error.reason, 80)})", path=address
        ) from None
    except (IncompleteRead, SSLEOFError):
        raise InputError("was cut off: the connection ended before the answer did", path=address) from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        if monotonic() >= end:
            raise over("seconds", f"takes more than {most.seconds:,} s to fetch", path=address) from None
        reason = getattr(error, "reason", error)
        raise InputError(f"cannot be fetched: {one_line(str(reason), 200)}", path=address) from None
    return uncompressed(data, address, "source_bytes"), _named(address, final, kind)


def _named(address: str, final: str, media: str) -> str:
    """The address, with an ending where its own does not say what the server does."""
    said = mimetypes.guess_extension(media) if media != _ANYTHING else None
    ending = PurePosixPath(unquote(urlsplit(final).path).lower()).suffix
    if ending not in ENDINGS or (said in ENDINGS and media != _PLAIN):
        ending = said if said in ENDINGS else ""
    return address if address.lower().endswith(ending) else address + ending


class _PrivateError(Exception):
    """An address that is not to be connected to."""


class _Public:
    """Connects to what was looked at, and to nothing else."""

    host: str
    port: int
    timeout: float | None
    private: bool
    sock: socket.socket
    # All that were opened for one address, so that they can be ended.
    opened: list[socket.socket]

    def _connected(self) -> socket.socket:
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        fault: OSError | None = None
        for _, _, _, _, place in found:
            if not self.private and not is_public(str(place[0])):
                raise _PrivateError(str(place[0]))
            try:
                return socket.create_connection((str(place[0]), self.port), self.timeout)
            except OSError as error:
                fault = error
        raise fault or OSError("the name leads nowhere")


class _Plain(_Public, HTTPConnection):
    def connect(self) -> None:
        self.sock = self._connected()
        self.opened.append(self.sock)


class _Secure(_Public, HTTPSConnection):
    def connect(self) -> None:
        context: Any = self._context  # type: ignore[attr-defined]
        # An end that the server does not announce may be anyone's (RFC 9112, section 9.8).
        self.sock = context.wrap_socket(
            self._connected(), server_hostname=self.host, suppress_ragged_eofs=False
        )
        self.opened.append(self.sock)


class _Connections:
    """Handlers of urllib whose connections look at their address first, and are known, so that they can be ended."""

    def __init__(self, private: bool) -> None:
        self.opened: list[socket.socket] = []
        self.late = False
        opened = self.opened

        def made(kind: type[Any]) -> Any:
            def make(*arguments: Any, **options: Any) -> Any:
                connection = kind(*arguments, **options)
                connection.private, connection.opened = private, opened
                return connection

            return make

        class Plain(HTTPHandler):
            def http_open(self, request: Request) -> Any:
                return self.do_open(made(_Plain), request)

        class Secure(HTTPSHandler):
            def https_open(self, request: Request) -> Any:
                return self.do_open(made(_Secure), request, context=self._context)  # type: ignore[attr-defined]

        self.opener = OpenerDirector()
        for handler in (
            Plain(),
            Secure(),
            HTTPRedirectHandler(),
            HTTPDefaultErrorHandler(),
            HTTPErrorProcessor(),
        ):
            self.opener.add_handler(handler)

    def end(self) -> None:
        """Whoever waits for one of them is told at once."""
        self.late = True
        for connection in self.opened:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def _opened(address: str, private: bool, seconds: float) -> Iterator[tuple[Any, Any]]:
    connections = _Connections(private)
    timer = Timer(seconds, connections.end)
    timer.daemon = True
    timer.start()
    try:
        request = Request(_ascii(address), headers={"User-Agent": _AGENT, "Accept": "*/*"})
        answer = connections.opener.open(request, timeout=min(_SILENT, seconds))
        if answer is None:
            raise InputError("leads to an address that is neither http nor https")
        with answer:
            yield answer, lambda: connections.late
    finally:
        timer.cancel()


def _ascii(address: str) -> str:
    """An address as it is sent: what is not ASCII as UTF-8 in percent signs, in the host as IDNA."""
    if address.isascii():
        return address
    parts = urlsplit(address)
    sent = parts._replace(netloc=parts.netloc.encode("idna").decode("ascii")).geturl()
    return quote(sent, safe=printable)


def _refuse_parts(answer: Any) -> None:
    """Raise where the answer is not all that was asked for, or where its length cannot be told."""
    if answer.status == HTTPStatus.PARTIAL_CONTENT:
        raise InputError("the server answers 206 (Partial Content): only a part of what was asked for")
    lengths = {value.strip() for value in ",".join(answer.headers.get_all("Content-Length", ())).split(",")}
    if not answer.chunked and len(lengths) > 1:
        raise InputError("the server says two different lengths of its answer")


def _blocks(answer: Any, most: int, end: float) -> Iterator[bytes]:
    size = 0
    while block := answer.read1(_BLOCK):
        size += len(block)
        if size > most:
            raise over("source_bytes", f"holds more than {most:,} bytes")
        if monotonic() > end:
            raise TimeoutError
        yield block
    # What is left of a length that was announced; without one, the end of the connection is all that tells.
    if monotonic() > end:
        raise TimeoutError
    if left := answer.length:
        raise InputError(f"was cut off: the connection ended {left:,} bytes before the end")


def is_public(address: str) -> bool:
    """Whether an address, as `getaddrinfo` gives it, is of the Internet, and of no special purpose there."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv4Address):
        return not any(found in network for network in _SPECIAL_V4)
    if (inside := _translated(found)) is not None:
        return is_public(str(inside))
    return found in _GLOBAL_V6 and not any(found in network for network in _SPECIAL_V6)


def _translated(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address is another way to write."""
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped

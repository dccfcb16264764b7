"""The nodes of a cluster: what is asked of one is asked of the next where that one is gone, and what fails is said."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from time import monotonic, sleep
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlsplit

from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.loading import needs_extra

_SCHEMES = {"qdrant": "http", "qdrants": "https"}
_PORT = 6333
_NAME = re.compile(r"[\w-][\w.-]{0,199}", re.ASCII)
_OPTIONS = ("shards", "replicas")


class Address(NamedTuple):
    """The nodes of a cluster, any of which may be asked, and the name of the collection on them.

    `shards` and `replicas` are what a collection is made with; without them it is as the servers have it.
    """

    text: str
    nodes: tuple[str, ...]
    name: str
    shards: int | None = None
    replicas: int | None = None


def is_address(where: PathLike) -> bool:
    """Whether a library is on servers, and not in a folder."""
    return str(where).partition("://")[0] in _SCHEMES and "://" in str(where)


def parse_address(text: str) -> Address:
    """The parts of an address."""
    parts = urlsplit(text)
    name = parts.path.strip("/")
    hosts = [_host(each) for each in parts.netloc.split(",")]
    if "@" in parts.netloc or None in hosts or not _NAME.fullmatch(name) or parts.fragment:
        raise UsageError(
            f"{text} is no address of a library: qdrant://HOST:PORT/NAME is one, with commas between several "
            "HOST:PORT; a key is taken from QDRANT_API_KEY."
        )
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    for key, value in options.items():
        if key not in _OPTIONS or not re.fullmatch(r"[1-9]\d{0,3}", value):
            raise UsageError(
                f"{text}: after the name ?shards=N and &replicas=N may stand, and not {key}={value}."
            )
    numbers = {key: int(value) for key, value in options.items()}
    nodes = tuple(f"{_SCHEMES[parts.scheme]}://{host}" for host in hosts)
    return Address(text.partition("?")[0], nodes, name, numbers.get("shards"), numbers.get("replicas"))


def _host(text: str) -> str | None:
    """A host with its port; None for what is none."""
    found = re.fullmatch(r"([\w.-]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?", text, re.ASCII)
    if found is None or int(found[2] or _PORT) > 65535:
        return None
    return f"{found[1]}:{found[2] or _PORT}"


KEY = "QDRANT_API_KEY"
"""The variable of the environment that the servers' key is taken from."""
Result = TypeVar("Result")

# The oldest server that this was tested with; within a major version newer ones understand what older ones did.
_MAJOR, _MINOR = 1, 16
# Seconds that a node has for an answer, and that a cluster has to find itself again when one of its nodes has gone.
_ANSWER, _RECOVERY = 60, 45
_PAUSES = (0.1, 0.3, 1.0, 2.0)
_KEY_NEEDED = (401, 403)
_NOT_FOUND, _EXISTS, _TOO_LARGE = 404, 409, 413
_FULL = re.compile(
    r"no space left|disk (?:space|usage|is full)|wal buffer size exceeds|out of disk", re.IGNORECASE
)


class RefusedError(CaveatError):
    """A node refused what was asked of it, and says why; `status` is HTTP's."""

    def __init__(self, sentence: str, status: int, reason: str) -> None:
        super().__init__(sentence)
        self.status, self.reason = status, reason

    @property
    def missing(self) -> bool:
        """There is no such collection."""
        return self.status == _NOT_FOUND

    @property
    def exists(self) -> bool:
        """There is such a collection already."""
        return self.status == _EXISTS or "already exists" in self.reason


class Nodes:
    """The nodes of an address. Whatever is asked may be asked twice without harm."""

    def __init__(self, address: Address) -> None:
        try:
            client, self.models = import_module("qdrant_client"), import_module("qdrant_client.models")
            faults = import_module("qdrant_client.http.exceptions")
        except ModuleNotFoundError as error:
            raise CaveatError(needs_extra(f"A library at {address.text}", error.name, "qdrant")) from error
        self.address = address
        self._refusal, self._silence = faults.UnexpectedResponse, faults.ResponseHandlingException
        self._at = 0
        key = os.environ.get(KEY) or None
        with warnings.catch_warnings():
            # It warns of a key without TLS; docs/library-qdrant.md does.
            warnings.simplefilter("ignore")
            self._clients = [
                client.QdrantClient(url=url, api_key=key, timeout=_ANSWER, check_compatibility=False)
                for url in address.nodes
            ]
        self._greeted = False

    def ask(self, what: Callable[[Any], Result]) -> Result:
        """What a client of one of the nodes gives; a node that does not answer gives way to the next."""
        if not self._greeted:
            self._greet()
        begin, tries = monotonic(), 0
        while True:
            client = self._clients[self._at]
            try:
                return what(client)
            except self._silence as error:
                problem: CaveatError = self._silent(error)
            except self._refusal as error:
                problem = self._refused(error)
                if not self._may_pass(error):
                    raise problem from error
            self._at = (self._at + 1) % len(self._clients)
            tries += 1
            late = monotonic() - begin > _RECOVERY or (len(self._clients) == 1 and tries >= len(_PAUSES))
            if late and tries >= len(self._clients):
                raise problem
            if tries % len(self._clients) == 0:
                sleep(_PAUSES[min(tries // len(self._clients), len(_PAUSES)) - 1])

    def close(self) -> None:
        """No more is asked."""
        for client in self._clients:
            with suppress(Exception):
                client.close()

    def _greet(self) -> None:
        """A node that is there, and can be talked to."""
        problem: Exception | None = None
        for number, client in enumerate(self._clients):
            try:
                version = str(client.info().version)
            except (self._silence, self._refusal, ValueError) as error:
                problem = error
                continue
            self._check(version)
            self._at, self._greeted = number, True
            return
        assert problem is not None
        raise self._silent(problem) from problem

    def _check(self, version: str) -> None:
        found = re.match(r"(\d+)\.(\d+)", version)
        major, minor = (int(found[1]), int(found[2])) if found else (0, 0)
        if major != _MAJOR or minor < _MINOR:
            raise InputError(
                f"the server is Qdrant {version}, and a library needs {_MAJOR}.{_MINOR} or later of version {_MAJOR}",
                path=self.address.text,
            )

    def _silent(self, error: Exception) -> CaveatError:
        several = len(self._clients) > 1
        reason = str(getattr(error, "source", None) or error) or type(error).__name__
        return InputError(
            f"{'none of the servers answers' if several else 'no Qdrant server answers'} ({reason})",
            path=self.address.text,
        )

    def _refused(self, error: Any) -> RefusedError:
        reason = _reason(error)
        if error.status_code in _KEY_NEEDED:
            said = (
                f"the server wants a key, and refuses the one in {KEY}"
                if os.environ.get(KEY)
                else (f"the server wants a key: put it into {KEY}")
            )
        elif _FULL.search(reason):
            said = f"the disk of a server is full ({reason}). What was acknowledged is kept; the same command goes on"
        elif error.status_code == _TOO_LARGE:
            said = "a source is larger than what the server takes at once (its max_request_size_mb)"
        else:
            said = f"the server refuses ({reason})"
        return RefusedError(f"{self.address.text}: {said}", error.status_code or 0, reason)

    def _may_pass(self, error: Any) -> bool:
        """Whether a cluster may get over it: a node has gone, and the others have not noticed yet."""
        return (
            (error.status_code or 500) >= 500 and not _FULL.search(_reason(error)) and len(self._clients) > 1
        )


def _reason(error: Any) -> str:
    """What a server says is wrong."""
    with suppress(Exception):
        status = error.structured()["status"]
        return str(status["error"] if isinstance(status, dict) else status)
    content = getattr(error, "content", b"") or b""
    return content.decode("utf-8", "replace").strip()[:300] or str(getattr(error, "reason_phrase", ""))

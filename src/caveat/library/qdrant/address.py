"""Where a library on servers is: `qdrant://HOST:PORT,HOST:PORT/NAME`, and how it is spread when it is made."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from caveat.core.errors import UsageError
from caveat.core.files import PathLike

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

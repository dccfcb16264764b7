"""Which language model is asked, and where: `openai:URL#NAME`; its key comes from the environment alone."""

from __future__ import annotations

import os
from ipaddress import ip_address
from urllib.parse import urlsplit

import msgspec

from caveat.core.errors import UsageError, one_line

PREFIX = "openai:"
VARIABLE = "CAVEAT_LLM"
KEY_VARIABLE = "CAVEAT_LLM_KEY"
_OPENAI_KEY, _OPENAI_HOST = "OPENAI_API_KEY", "api.openai.com"
_EXAMPLE = f"{PREFIX}http://127.0.0.1:8080/v1#NAME"


class Endpoint(msgspec.Struct, frozen=True):
    """The address up to `/v1`, and the name of the model there."""

    url: str
    name: str

    def __str__(self) -> str:
        return f"{PREFIX}{self.url}#{self.name}"

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, so that no proxy is asked."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    @property
    def key(self) -> str:
        """The key to send, empty where there is none: OpenAI's own goes to OpenAI alone."""
        if key := os.environ.get(KEY_VARIABLE, "").strip():
            return key
        return os.environ.get(_OPENAI_KEY, "").strip() if urlsplit(self.url).hostname == _OPENAI_HOST else ""


def is_endpoint(name: object) -> bool:
    """Whether a model's name is that of an endpoint, or `openai` for the one that CAVEAT_LLM names."""
    return isinstance(name, str) and (name.startswith(PREFIX) or name == PREFIX[:-1])


def named_endpoint(name: str) -> Endpoint:
    """The endpoint that a model's name stands for."""
    if name != PREFIX[:-1]:
        return endpoint_of(name)
    found = endpoint_of_environment()
    if found is None:
        raise UsageError(
            f"`{name}` is the language model that {VARIABLE} names, which is not set: {_EXAMPLE}."
        )
    return found


def endpoint_of(text: str) -> Endpoint:
    """`openai:URL#NAME`, or `URL#NAME`; an address without a path is that of a server's `/v1`."""
    url, _, name = text.removeprefix(PREFIX).partition("#")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"A language model is named as {_EXAMPLE}, got {_without_secrets(text)!r}.")
    if parts.username or parts.password or parts.query:
        raise UsageError(
            f"A key does not go into the address of a language model: set {KEY_VARIABLE} instead."
        )
    if not name.strip():
        raise UsageError(f"Which model of {parts.netloc} is asked stands behind a #, as in {_EXAMPLE}.")
    path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return Endpoint(f"{parts.scheme}://{parts.netloc}{path}", name.strip())


def endpoint_of_environment() -> Endpoint | None:
    """The one that CAVEAT_LLM names."""
    named = os.environ.get(VARIABLE, "").strip()
    return endpoint_of(named) if named else None


def _without_secrets(text: str) -> str:
    """What was given, for an error, without anything in front of an @ or behind a ?."""
    return one_line(text.rpartition("@")[2].partition("?")[0], 120)

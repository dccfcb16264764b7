"""Prompts and completions, and what a server of OpenAI's protocol says of one."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

import msgspec

from caveat.models.language_model.spending import Tokens
from caveat.models.language_model.transport import EndpointError

__all__ = ["Completion", "Message", "Prompt", "TokenProbability", "Written", "written_of"]

T = TypeVar("T")

_MOST_TOKENS = 1 << 53


class Message(msgspec.Struct, frozen=True):
    """What is said to a model, or by it."""

    role: Literal["system", "user", "assistant"]
    content: str


class Prompt(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What a model is asked. With a `schema` its answer is to be that record as JSON.

    `version` is that of the file that the prompt is from; `sample` tells apart several answers to the same prompt, at
    a temperature above 0. With `logprobs` the server is to say how probable each token is, where it can; some then
    write more slowly.
    """

    messages: tuple[Message, ...]
    schema: type[T] | None = None
    version: str = ""
    max_tokens: int = 512
    temperature: float = 0.0
    sample: int = 0
    logprobs: bool = False


class TokenProbability(msgspec.Struct, frozen=True):
    """A token of a completion, and the natural logarithm of its probability."""

    text: str
    logprob: float


class Completion(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What a model wrote. `parsed` is there where a schema was asked for and no problem was met."""

    text: str = ""
    parsed: T | None = None
    tokens: Tokens = Tokens()
    logprobs: tuple[TokenProbability, ...] = ()
    cached: bool = False
    problem: str = ""


class Written(msgspec.Struct, frozen=True):
    """What the server gave for one request, as the cache keeps it."""

    text: str
    finish: str = ""
    tokens: Tokens = Tokens()
    logprobs: tuple[TokenProbability, ...] = ()


class _SaidToken(msgspec.Struct, frozen=True):
    token: str = ""
    logprob: float = 0.0


class _SaidTokens(msgspec.Struct, frozen=True):
    content: list[_SaidToken] | None = None


class _SaidMessage(msgspec.Struct, frozen=True):
    content: str | None = None
    refusal: str | None = None


class _SaidChoice(msgspec.Struct, frozen=True):
    message: _SaidMessage = _SaidMessage()
    finish_reason: str | None = None
    logprobs: _SaidTokens | None = None


class _SaidUsage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Said(msgspec.Struct, frozen=True):
    """A server's answer, as far as it is of interest."""

    choices: list[_SaidChoice]
    usage: _SaidUsage | None = None


def written_of(answer: Any) -> Written:
    """What a server's answer holds; raises where it is no completion."""
    try:
        said = msgspec.convert(answer, _Said)
        choice = said.choices[0]
    except (msgspec.ValidationError, IndexError):
        raise EndpointError("The server answers, but not with a completion of OpenAI's protocol.") from None
    usage = said.usage or _SaidUsage()
    refused = choice.message.refusal or choice.finish_reason == "content_filter"
    given = (choice.logprobs.content if choice.logprobs else None) or ()
    return Written(
        "" if refused else (choice.message.content or ""),
        "refusal" if refused else (choice.finish_reason or ""),
        Tokens(_counted(usage.prompt_tokens), _counted(usage.completion_tokens)),
        tuple(TokenProbability(each.token, each.logprob) for each in given),
    )


def _counted(tokens: int) -> int:
    """What a server says that it has counted; less than none would give a budget back."""
    return min(max(tokens, 0), _MOST_TOKENS)

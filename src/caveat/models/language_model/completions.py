"""Prompts and completions: what a server of OpenAI's protocol says of one, and the JSON that a prompt asks for.

A model may write around the object that it was asked for, or think aloud before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Generic, Literal, TypeVar

import msgspec

from caveat.models.language_model.spending import Tokens
from caveat.models.language_model.transport import UNSUPPORTED, EndpointError

__all__ = [
    "Completion",
    "Features",
    "Message",
    "NotJsonError",
    "Prompt",
    "TokenProbability",
    "Written",
    "decoded",
    "names_a_feature",
    "schema_of",
    "written_of",
]


# What a server is asked for beside a text, and what is left of it once it has refused some.


class Features(msgspec.Struct, frozen=True):
    """What a server is asked for beside a text; what it does not have is left out from then on."""

    shape: Literal["json_schema", "json_object", "none"] = "json_schema"
    logprobs: bool = True
    seed: bool = True
    temperature: bool = True
    # Newer models of OpenAI know the limit by another name only.
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"

    def less(self, reason: str) -> Features | None:
        """Without what the reason names, or else one thing less; None where nothing is left to do without."""
        said = reason.casefold()
        for name, words in _NAMED.items():
            if getattr(self, name) != _LESS[name] and any(word in said for word in words):
                return self._lowered(name)
        for name in ("logprobs", "shape", "seed"):
            if getattr(self, name) != _LESS[name]:
                return self._lowered(name)
        return None

    def _lowered(self, name: str) -> Features:
        between = name == "shape" and self.shape == "json_schema"
        return msgspec.structs.replace(self, **{name: "json_object" if between else _LESS[name]})


_LESS: dict[str, Any] = {
    "limit": "max_completion_tokens",
    "shape": "none",
    "logprobs": False,
    "seed": False,
    "temperature": False,
}
# How the servers' errors name what they do not have.
_NAMED: dict[str, tuple[str, ...]] = {
    "limit": ("max_completion_tokens",),
    "shape": ("response_format", "schema", "grammar"),
    "logprobs": ("logprob", "logits_all"),
    "seed": ("seed",),
    "temperature": ("temperature",),
}


def names_a_feature(status: int, reason: str) -> bool:
    """Whether an error says that the server does not have what was asked for, so that asking again is of no use."""
    said = reason.casefold()
    return status in UNSUPPORTED and any(word in said for words in _NAMED.values() for word in words)


T = TypeVar("T")

_MOST_TOKENS = 1 << 53

_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(r",(\s*[}\]])")
_LONGEST_FAULT = 200
# Far beyond what a model may write; a server can send anything, and each brace may begin the object.
_LONGEST, _MOST_BRACES = 200_000, 100


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


class NotJsonError(ValueError):
    """What was written is not what was asked for, and why."""


def schema_of(type: type[Any]) -> dict[str, Any]:
    """The JSON schema of a record, in the form that servers hold a model to: no references, every key required."""
    (schema,), definitions = msgspec.json.schema_components([type], ref_template="{name}")
    strict = _strict(schema, definitions)
    assert isinstance(strict, dict)
    return strict


def _strict(part: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(part, list):
        return [_strict(each, definitions) for each in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _strict(definitions[part["$ref"]], definitions)
    dropped = ("title", "description", "default")
    if part.get("type") != "object":
        return {key: _strict(value, definitions) for key, value in part.items() if key not in dropped}
    properties = {name: _strict(each, definitions) for name, each in part.get("properties", {}).items()}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def without_thoughts(text: str) -> str:
    """What a model wrote, less what it thought aloud before."""
    return _THOUGHTS.sub("", text).strip()


def decoded(text: str, type: type[T]) -> T:
    """The first JSON object of a text that is of the type, inside of code fences or sentences too."""
    fault = "there is no JSON object in it"
    text = text[:_LONGEST]
    for begin in _braces(text):
        for candidate in (text[begin:], _LAST_COMMA.sub(r"\1", text[begin:])):
            try:
                value, _ = json.JSONDecoder(strict=False).raw_decode(candidate)
                # Python's parser takes half a surrogate pair, which is no text and cannot be written anywhere.
                json.dumps(value, ensure_ascii=False).encode("utf-8")
                return msgspec.convert(value, type)
            except msgspec.ValidationError as error:
                fault = str(error)
            except (ValueError, RecursionError):
                continue
    raise NotJsonError(fault[:_LONGEST_FAULT])


def _braces(text: str) -> Iterator[int]:
    """Where an object may begin."""
    begin = text.find("{")
    for _ in range(_MOST_BRACES):
        if begin < 0:
            return
        yield begin
        begin = text.find("{", begin + 1)

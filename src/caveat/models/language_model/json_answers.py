"""JSON that a language model was asked for: its schema, and the object in whatever it wrote around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

__all__ = ["NotJsonError", "decoded", "schema_of"]

T = TypeVar("T")

_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(r",(\s*[}\]])")
_LONGEST_FAULT = 200
# Far beyond what a model may write; a server can send anything, and each brace may begin the object.
_LONGEST, _MOST_BRACES = 200_000, 100


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

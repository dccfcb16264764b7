"""What OpenAPI says of the routes: the records themselves describe their JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from caveat.serve.bodies import Fault

if TYPE_CHECKING:
    from fastapi import FastAPI

_REFERENCE = "#/components/schemas/{name}"
_JSON = "application/json"
_FAULTS = {
    400: "The body is not what it has to be.",
    401: "The token is missing or wrong.",
    403: "A request of another site.",
    404: "There is nothing of this name.",
    408: "The request took too long to come.",
    413: "The request is too large.",
    422: "What was asked for cannot be done.",
    503: "Too many requests wait.",
    504: "The answer took too long.",
}


def takes(body: Any) -> dict[str, Any]:
    """A route's body: JSON of a record, or bytes."""
    content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    if body is not bytes:
        content = {_JSON: {"schema": _schema(body)}}
    return {"requestBody": {"required": True, "content": content}}


def responses_of(reply: Any) -> dict[int | str, dict[str, Any]]:
    """A route's replies: a record, and a sentence for each thing that can go wrong."""
    faults: dict[int | str, dict[str, Any]] = {
        status: {"description": what, "content": {_JSON: {"schema": _schema(Fault)}}}
        for status, what in _FAULTS.items()
    }
    return {200: {"description": "Done.", "content": {_JSON: {"schema": _schema(reply)}}}, **faults}


def described(api: FastAPI, records: Sequence[Any]) -> None:
    """Put the schemas of the records, and of what they are made of, under the routes' references."""
    plain = api.openapi

    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            found = plain()
            components = found.setdefault("components", {})
            components["schemas"] = msgspec.json.schema_components(records, ref_template=_REFERENCE)[1]
        return api.openapi_schema or {}

    api.openapi = openapi  # type: ignore[method-assign]


def _schema(record: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([record], ref_template=_REFERENCE)
    return schema

"""Routes that take records and answer with records, and the page beside them: what every application here has."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from caveat.core.errors import CaveatError, InputError
from caveat.core.json_files import decode
from caveat.serve.bodies import Fault
from caveat.serve.openapi import described, responses_of, takes
from caveat.serve.work import BusyError, fault, status_of

if TYPE_CHECKING:
    from fastapi import FastAPI

STATIC = Path(__file__).parent / "static"

Body = TypeVar("Body")
Route = tuple[str, str, Callable[..., Any], Any, Any]
"""Method, path, function, and the records of its body and its reply."""


class BodyError(Exception):
    """A body that is not the record that it has to be."""


async def record_of(request: Request, type: type[Body]) -> Body:
    """The body of a request."""
    try:
        return decode(await request.body(), type, path="request")
    except InputError as error:
        raise BodyError(str(error)) from None


def add_routes(api: FastAPI, routes: Iterable[Route]) -> None:
    """Add the routes, what is said of them, and a sentence for each thing that can go wrong."""
    for error in (CaveatError, BusyError, TimeoutError, BodyError):
        api.add_exception_handler(error, _failed)
    api.add_exception_handler(HTTPException, _no_route)
    records: set[Any] = {Fault}
    for method, path, function, body, reply in routes:
        records |= {body, reply}
        api.add_api_route(
            path,
            function,
            methods=[method],
            response_class=Response,
            responses=responses_of(reply),
            openapi_extra=takes(body) if body is not None else None,
        )
    described(api, list(records - {None, bytes}))


def add_page(api: FastAPI, folder: Path) -> None:
    """Show the page of a folder at the root, and its files."""

    async def page() -> Response:
        found = folder / "index.html"
        return FileResponse(found) if found.is_file() else fault(404, "This installation has no page.")

    api.get("/", include_in_schema=False)(page)
    if folder != STATIC:
        api.mount(f"/static/{folder.parent.name}", StaticFiles(directory=folder, check_dir=False))
    api.mount("/static", StaticFiles(directory=STATIC, check_dir=False), "static")


def version() -> str:
    """The package's."""
    from importlib.metadata import version

    return version("caveat")


async def _failed(request: Request, error: Exception) -> Response:
    return fault(400, str(error)) if isinstance(error, BodyError) else fault(*status_of(error))


async def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentences = {
        404: "There is nothing at this address.",
        405: "This address does not take requests of this kind.",
    }
    plain = error.detail in ("Not Found", "Method Not Allowed")
    sentence = sentences.get(error.status_code, error.detail) if plain else error.detail
    response = fault(error.status_code, sentence)
    response.headers.update(error.headers or {})
    return response

"""`caveat serve` on a Ray cluster: the same application in several replicas, behind Ray Serve's proxy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from caveat.cluster.work import connected, room
from caveat.core.errors import CaveatError, UsageError, one_line
from caveat.core.files import PathLike
from caveat.core.limits import current_limits
from caveat.core.loading import needs_extra
from caveat.models.language_model.endpoint import endpoint_of_environment, is_endpoint

if TYPE_CHECKING:
    from fastapi import FastAPI


_NAME = "caveat"


class Replicas(msgspec.Struct, frozen=True, kw_only=True):
    """How many servers answer; the processors and the bytes of memory of each, and its models."""

    number: int = 2
    threads: int = 1
    # For all engines, and the sources that they keep.
    bytes: int = 1_000_000_000
    models: Sequence[PathLike] | None = None


def serve_on_ray(
    folder: PathLike | None = None,
    *,
    address: str,
    replicas: Replicas = Replicas(),
    host: str = "127.0.0.1",
    port: int = 8017,
    token: str | None = None,
    listening: Callable[[str], None] = lambda address: None,
    until: Callable[[], object] | None = None,
) -> None:
    """Serve until interrupted, or as long as `until` waits; then the application leaves the cluster.

    `folder` is a library, at the same path on every machine. `listening` is told the address once requests are taken.
    """
    try:
        from caveat.serve.listening import bind
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra("`caveat serve`", error.name, "serve")) from error
    _refuse_language_model(replicas.models)
    bind(host, port, token).close()
    place = None if folder is None else _library(folder)
    with connected(address) as ray:
        if room(ray, address, replicas.threads, replicas.bytes) < replicas.number:
            raise CaveatError(
                f"The Ray cluster at {address} has no room for {replicas.number} replicas with {replicas.threads} "
                f"processors and {replicas.bytes / 1e6:,.0f} MB of memory each."
            )
        serve: Any = import_module("ray.serve")

        def build() -> FastAPI:
            return _application(place, host, token, replicas)

        deployment = serve.deployment(
            name=_NAME,
            num_replicas=replicas.number,
            max_ongoing_requests=current_limits().waiting,
            ray_actor_options={"num_cpus": replicas.threads, "memory": replicas.bytes},
        )(serve.ingress(build)())
        quiet = {"log_level": "ERROR", "enable_access_log": False}
        try:
            try:
                serve.start(http_options={"host": host, "port": port}, logging_config=quiet)
                serve.run(deployment.bind(), name=_NAME, route_prefix="/", logging_config=quiet)
            except (ray.exceptions.RayError, RuntimeError) as error:
                reason = one_line(str(error).strip().partition("\n")[0], 300)
                raise CaveatError(f"Ray Serve did not start the application: {reason}") from error
            listening(f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/")
            (until or _interrupted)()
        finally:
            serve.shutdown()


def _library(folder: PathLike) -> str:
    from caveat.library.library import Library

    try:
        Library.open(folder)
    except CaveatError as error:
        raise UsageError(f"--ray serves a library, which `caveat index` makes: {error}") from error
    # An address is the same everywhere; a path is so where the machines share it.
    return str(folder) if "://" in str(folder) else str(Path(folder).resolve())


def _application(folder: str | None, host: str, token: str | None, replicas: Replicas) -> FastAPI:
    from caveat.answerers.engine import load
    from caveat.library.library import Library
    from caveat.serve.application import application

    # A machine may name one in its environment that the command's has not.
    _refuse_language_model(replicas.models)
    library = None if folder is None else Library.open(folder)
    return application(load(replicas.models, threads=replicas.threads), library, token, address=host)


def _refuse_language_model(models: Sequence[PathLike] | None) -> None:
    """Its budget is one for all requests, which replicas do not share."""
    named = endpoint_of_environment() is not None if models is None else any(map(is_endpoint, models))
    if named:
        raise UsageError(
            "A language model is asked by one process, which keeps its budget: neither --model openai:URL#NAME nor "
            "CAVEAT_LLM goes together with --ray."
        )


def _interrupted() -> Any:
    from threading import Event

    return Event().wait()

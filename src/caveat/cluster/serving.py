"""`caveat serve` on a Ray cluster: the same application in several replicas, behind Ray Serve's proxy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat.cluster.work import connected, room
from caveat.core.errors import CaveatError, UsageError, one_line
from caveat.core.files import PathLike
from caveat.core.limits import current_limits
from caveat.core.loading import needs_extra
from caveat.models.language_model.endpoint import endpoint_of_environment, is_endpoint

if TYPE_CHECKING:
    from fastapi import FastAPI


_NAME = "caveat"
# Bytes that are kept free for a replica: all engines, and the sources that they keep.
_REPLICA_BYTES = 1_000_000_000


def serve_on_ray(
    folder: PathLike | None = None,
    *,
    address: str,
    replicas: int = 2,
    host: str = "127.0.0.1",
    port: int = 8017,
    token: str | None = None,
    models: Sequence[PathLike] | None = None,
    threads: int | None = None,
    replica_bytes: int = _REPLICA_BYTES,
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
    _refuse_language_model(models)
    bind(host, port, token).close()
    place = None if folder is None else _library(folder)
    with connected(address) as ray:
        processors = threads or 1
        if room(ray, address, processors, replica_bytes) < replicas:
            raise CaveatError(
                f"The Ray cluster at {address} has no room for {replicas} replicas with {processors} processors and "
                f"{replica_bytes / 1e6:,.0f} MB of memory each."
            )
        serve: Any = import_module("ray.serve")

        def build() -> FastAPI:
            return _application(place, host, token, models, processors)

        deployment = serve.deployment(
            name=_NAME,
            num_replicas=replicas,
            max_ongoing_requests=current_limits().waiting,
            ray_actor_options={"num_cpus": processors, "memory": replica_bytes},
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


def _application(
    folder: str | None,
    host: str,
    token: str | None,
    models: Sequence[PathLike] | None,
    threads: int,
) -> FastAPI:
    from caveat.answerers.engine import load
    from caveat.library.library import Library
    from caveat.serve.application import application

    # A machine may name one in its environment that the command's has not.
    _refuse_language_model(models)
    library = None if folder is None else Library.open(folder)
    return application(load(models, threads=threads), library, token, address=host)


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

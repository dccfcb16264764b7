"""Questions and files worked on by a Ray cluster, with the results in order.

Each chunk is a task of Ray's, which it gives to any processor that is free, with the memory that it asks for, and does
again elsewhere where a machine is lost. A worker keeps its engine for its next chunk. Not Ray Data: it reads files on
the machines, and ours are read here, as a stream that may be standard input or one JSON document; a dataset made of a
stream would be held whole before its first question is answered.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from caveat.core.errors import CaveatError, UsageError, one_line
from caveat.core.loading import needs_extra
from caveat.core.spreading import Load, Spread, Stream, chunks, here, in_order

# A Ray cluster: one that is there, or one of this machine's processors; what cannot be reached is a sentence.

# Long enough for a machine far away, short enough for somebody who mistyped its name.
_CONNECT_SECONDS = 5.0
# How often a cluster of this machine is started: Ray gives it half a minute, which a busy machine may not keep to.
_STARTS = 3
# What Ray itself prints and sends is turned off, and a busy machine gets its time, unless somebody has said otherwise.
_DEFAULTS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "1",
    "RAY_TRAIN_V2_ENABLED": "1",
    "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": "120",
}


def imported() -> Any:
    """The package `ray`."""
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra("--ray", "ray", "ray")) from error
    return ray


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """The package `ray`, connected to a cluster; `local` is one of this machine, which ends with the context.

    Where this process is connected already, that is the cluster.
    """
    ray = imported()
    if ray.is_initialized():
        yield ray
        return
    _connect(ray, address)
    try:
        yield ray
    finally:
        ray.shutdown()


def _connect(ray: Any, address: str) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == "local":
        from caveat.models.session import available_cores

        for left in reversed(range(_STARTS)):
            try:
                ray.init(address="local", num_cpus=available_cores(), include_dashboard=False, **quiet)
                return
            except Exception as error:  # a busy machine, a full disk: Ray raises it as it comes
                ray.shutdown()
                if not left:
                    reason = one_line(str(error).strip(), 300)
                    raise CaveatError(f"Ray did not start on this machine: {reason}") from error
    if address != "auto":
        _look(address)
    try:
        ray.init(address=address, **quiet)
    except ConnectionError as error:
        raise CaveatError(
            f"There is no Ray cluster at {address}: `ray start --head` starts one, and `--ray local` needs none."
        ) from error
    except ImportError as error:
        raise CaveatError(f"The address {address} needs more of Ray: pip install 'ray[client]'.") from error
    except (RuntimeError, ValueError, OSError) as error:
        raise CaveatError(
            f"The Ray cluster at {address} does not take this process: {one_line(str(error), 300)}"
        ) from error


def _look(address: str) -> None:
    """Raise unless something listens there: Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        raise UsageError(f"--ray takes HOST:PORT, auto or local; got {address!r}.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CaveatError(f"There is no Ray cluster at {address}: {reason.lower()}.") from error


# Chunks under way for each processor of the cluster.
_AHEAD = 2
# How often a chunk is done again after what is nobody's fault: a machine or process that was lost.
_RETRIES = 5
# Bytes that Ray keeps free for a worker with its engine: readers, judges and what they hold of the texts.
_WORKER_BYTES = 500_000_000


def spread_at(address: str | None, processors: int | None = None) -> Spread:
    """Where a command's work is done: on the cluster at an address, or here where none is given."""
    return here if address is None else over_ray(address, processors=processors or 1)


def over_ray(address: str, *, processors: int = 1, worker_bytes: int = _WORKER_BYTES) -> Spread:
    """On the cluster at an address (`auto`: the one of this machine, `local`: one of its own processors alone).

    A worker uses so many processors and has so much memory.
    """

    def spread(load: Load, items: Iterable[Any], size: int) -> Iterator[Any]:
        with connected(address) as ray:
            workers = room(ray, address, processors, worker_bytes)
            task = ray.remote(
                num_cpus=processors, memory=worker_bytes, max_retries=_RETRIES, scheduling_strategy="SPREAD"
            )(_work)
            key, sent = uuid4().hex, ray.put(load)
            found = in_order(
                chunks(items, size),
                workers * _AHEAD,
                submit=lambda chunk: task.remote(key, sent, chunk),
                result=lambda waiting: _result(ray, waiting),
                cancel=lambda waiting: ray.cancel(waiting, force=True),
            )
            for results, error in found:
                yield from results
                if error is not None:
                    raise error

    return spread


def room(ray: Any, address: str, processors: int, worker_bytes: int) -> int:
    """How many workers the cluster has room for; raises where there is none: Ray would wait for a machine that has."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    large = max((int(node.get("memory", 0)) for node in nodes), default=0)
    wide = max((int(node.get("CPU", 0)) for node in nodes), default=0)
    if wide < processors:
        raise CaveatError(
            f"No machine of the Ray cluster at {address} has {processors} processors for a worker; the largest has "
            f"{wide}."
        )
    if large < worker_bytes:
        raise CaveatError(
            f"No machine of the Ray cluster at {address} has the {worker_bytes / 1e6:,.0f} MB of memory that a worker "
            f"needs; the largest has {large / 1e6:,.0f} MB."
        )
    return sum(
        min(int(node.get("CPU", 0)) // processors, int(node.get("memory", 0)) // worker_bytes)
        for node in nodes
    )


class _Worker:
    """The engine of this process of the cluster, and the work that it was made for."""

    key = ""
    stream: Stream | None = None


def _work(key: str, load: Load, chunk: list[Any]) -> tuple[list[Any], CaveatError | None]:
    """What was found before the first error, and that: as a value, so that it comes through as it is."""
    results: list[Any] = []
    try:
        if _Worker.stream is None or _Worker.key != key:
            _Worker.key, _Worker.stream = key, load()
        results.extend(_Worker.stream(chunk))
    except CaveatError as error:
        return results, _plain(error)
    return results, None


def _plain(error: CaveatError) -> CaveatError:
    """Errors with a place are made from it, which a pickle does not know."""
    return (UsageError if isinstance(error, UsageError) else CaveatError)(str(error))


def _result(ray: Any, waiting: Any) -> Any:
    lost = ray.exceptions
    try:
        return ray.get(waiting)
    except lost.OutOfMemoryError as error:
        raise CaveatError(
            f"A machine of the Ray cluster ran out of memory {_RETRIES + 1} times with the same questions."
        ) from error
    except lost.ObjectStoreFullError as error:
        raise CaveatError("The object store of the Ray cluster is full.") from error
    except (lost.WorkerCrashedError, lost.NodeDiedError, lost.ObjectLostError) as error:
        raise CaveatError(
            f"The Ray cluster lost its workers {_RETRIES + 1} times with the same questions."
        ) from error
    except lost.RayTaskError as error:
        cause = error.cause if hasattr(error, "cause") else None
        if isinstance(cause, ModuleNotFoundError) or "ModuleNotFoundError" in str(error):
            raise CaveatError(
                "A machine of the Ray cluster does not have this version of Caveat: install the same on all of them."
            ) from error
        raise

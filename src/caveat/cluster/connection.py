"""A Ray cluster: one that is there, or one of this machine's processors; what cannot be reached is a sentence."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from caveat.core.errors import CaveatError, UsageError, one_line
from caveat.core.extras import needs_extra

__all__ = ["connected", "imported"]

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

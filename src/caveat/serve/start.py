"""`caveat serve` as a function: an engine, a library where there is one, and the API at an address."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from caveat.answerers.engine import load
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike

__all__ = ["serve"]


def serve(
    folder: PathLike | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8017,
    token: str | None = None,
    models: Sequence[PathLike] | None = None,
    threads: int | None = None,
    listening: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until interrupted; `listening` is told the address once requests are taken."""
    try:
        from caveat.serve.application import application
        from caveat.serve.listening import bind, run
    except ModuleNotFoundError as error:
        raise CaveatError(
            f"`caveat serve` needs {error.name}: pip install 'caveat[serve]' installs it."
        ) from error
    if folder is not None:
        raise CaveatError("A library cannot be served yet.")
    with bind(host, port, token) as socket:
        engine = load(models, threads=threads)
        run(application(engine, None, token, address=host), socket, listening)

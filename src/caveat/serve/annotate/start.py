"""`caveat annotate serve` as a function: a project and its page at an address."""

from __future__ import annotations

from collections.abc import Callable

from caveat.annotation.project import Project
from caveat.core.errors import CaveatError
from caveat.core.extras import needs_extra
from caveat.core.files import PathLike


def serve(
    project: PathLike,
    host: str = "127.0.0.1",
    port: int = 8018,
    listening: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until interrupted; `listening` is told the address once requests are taken.

    Whoever asks has to have an annotator's token, so that an address which others reach needs no further one.
    """
    try:
        from caveat.serve.annotate.application import annotation_application
        from caveat.serve.listening import listen_at, run
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra("`caveat annotate serve`", error.name, "serve")) from error
    with Project.open(project) as opened, listen_at(host, port) as socket:
        run(annotation_application(opened, address=host), socket, listening)

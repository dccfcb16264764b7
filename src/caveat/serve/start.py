"""`caveat serve` and `caveat annotate serve` as functions: an engine or a project, and its page at an address."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from caveat.answerers.engine import load
from caveat.core.errors import CaveatError, InputError
from caveat.core.files import PathLike
from caveat.core.loading import needs_extra
from caveat.core.records import Remark
from caveat.core.spreading import Through

if TYPE_CHECKING:
    from caveat.library.library import Library


def serve_api(
    folder: PathLike | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8017,
    token: str | None = None,
    models: Sequence[PathLike] | None = None,
    threads: int | None = None,
    budget: str | None = None,
    log: str = "faults",
    traces: str | None = None,
    listening: Callable[[str], None] = lambda address: None,
    unread: Callable[[Remark], None] = lambda remark: None,
    through: Through = iter,
) -> None:
    """Serve until interrupted; `listening` is told the address once requests are taken.

    `folder` is a library or the address of one, or a folder of sources, which is indexed first: `unread` is told what
    of it is left out, and what is read goes `through`, for a progress bar. `log` is one of
    `caveat.serve.logs.LogKind`, and `traces` the address of an OpenTelemetry collector.
    """
    try:
        from caveat.serve.application import application
        from caveat.serve.listening import bind, run
        from caveat.serve.logs import NO_SPANS, LogKind, spans_to, write_logs
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra("`caveat serve`", error.name, "serve")) from error
    write_logs(LogKind(log))
    spans = NO_SPANS if traces is None else spans_to(traces)
    with bind(host, port, token) as socket, library_of(folder, unread, through) as library:
        engine = load(models, threads=threads, budget=budget)
        lasts = library is None or folder is None or library.where == str(folder)
        run(application(engine, library, token, address=host, spans=spans, lasts=lasts), socket, listening)


@contextmanager
def library_of(
    folder: PathLike | None, unread: Callable[[Remark], None] = lambda remark: None, through: Through = iter
) -> Iterator[Library | None]:
    """The library in a folder or at an address, or one of a folder's sources that is gone afterwards; or none."""
    if folder is None:
        yield None
        return
    from caveat.library.library import Library
    from caveat.library.qdrant.nodes import is_address
    from caveat.library.storage import read_manifest

    if is_address(folder):
        yield Library.open(folder)
        return
    if not Path(folder).exists():
        raise InputError("there is no such folder", path=folder)
    if read_manifest(folder) is not None:
        yield Library.open(folder)
        return
    with TemporaryDirectory(prefix="caveat-", ignore_cleanup_errors=True) as place:
        library = Library.create(Path(place, "library"))
        for remark in library.add([folder], through=through).unread:
            unread(remark)
        yield library


def serve_annotation(
    project: PathLike,
    host: str = "127.0.0.1",
    port: int = 8018,
    listening: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until interrupted; `listening` is told the address once requests are taken.

    Whoever asks has to have an annotator's token, so that an address which others reach needs no further one.
    """
    from caveat.annotation.project import Project

    try:
        from caveat.serve.annotate.application import annotation_application
        from caveat.serve.listening import listen_at, run
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra("`caveat annotate serve`", error.name, "serve")) from error
    with Project.open(project) as opened, listen_at(host, port) as socket:
        run(annotation_application(opened, address=host), socket, listening)

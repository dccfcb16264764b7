"""Making and asking libraries: what `caveat index` makes of sources, one library copied into another, a question."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, Protocol

from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.core.files import PathLike, is_device, read_rows, reason_of_system
from caveat.core.records import Question, Reply
from caveat.core.spreading import Spread, here
from caveat.library.library import Library
from caveat.library.qdrant.nodes import is_address
from caveat.library.storage import read_manifest
from caveat.library.triples.build import IndexReport, Through, build_index, unwatched
from caveat.library.writing import Added
from caveat.sources.kinds import ENDINGS
from caveat.sources.triples import MENTIONS, is_index, is_knowledge, look_at

_COLUMNS_OF_TRIPLES = 3
_LOOKED_AT = 100


def index(
    sources: Sequence[PathLike],
    out: PathLike,
    *,
    format: str | None = None,
    skip_bad: bool = False,
    strict: bool = False,
    processes: int | None = None,
    through: Through = unwatched,
    spread: Spread = here,
) -> IndexReport | Added:
    """Put sources into the folder `out`: triples alone into an index, in place of one that is there, all else into a
    library, beside what is there; at an address, `qdrant://HOST:PORT/NAME`, a library is on servers.

    `format` and `skip_bad` are for triples, and say that the sources are; `strict`, `processes` and `spread` are for a
    library (see `Library.add`).
    """
    if not sources:
        raise UsageError("There is nothing to index: name at least one file or folder.")
    if is_address(out):
        if format is not None or skip_bad:
            raise UsageError(
                f"--format and --skip-bad are for an index of triples, which is in a folder and not at {out}."
            )
    elif format is not None or skip_bad or (read_manifest(out) is None and all(map(_is_triples, sources))):
        if spread is not here:
            raise UsageError("An index of triples is built in one process: --ray is for a library.")
        return build_index(sources, out, format=format, skip_bad=skip_bad, through=through)
    if not is_address(out) and is_index(out):
        raise UsageError(f"{out} is an index of triples: a library needs a folder of its own.")
    for source in sources:
        if "://" not in str(source):
            try:
                os.stat(source)
            except OSError as error:
                raise InputError(f"cannot be opened: {reason_of_system(error)}", path=source) from error

    def watched(tasks: Iterable[Any]) -> Iterable[Any]:
        files = list(tasks)
        return through(files, "reading", len(files))

    return Library.create(out).add(
        sources, strict=strict, processes=processes, through=watched, spread=spread
    )


def _is_triples(source: PathLike) -> bool:
    """Whether a file is one of triples or a mention list; what is no file is for the index to say."""
    path = Path(source)
    if str(source) == "-" or is_device(path) or not os.path.exists(path):
        return "://" not in str(source)
    if os.path.isdir(path):
        return False
    try:
        if is_knowledge(path):
            return True
        ending = PurePath(path.name.lower().removesuffix(".gz")).suffix
        if ending == ".tsv":
            # Without headings it is a table for `ask`; named here alone it has always been triples.
            rows = [row for _, row in islice(read_rows(path), _LOOKED_AT)]
            return bool(rows) and all(len(row) == _COLUMNS_OF_TRIPLES for row in rows)
        return ending not in ENDINGS and look_at(path).format == MENTIONS
    except CaveatError:
        return False


class _Engine(Protocol):
    def ask(self, question: str | Question, *sources: Any, **options: Any) -> Reply: ...


def ask_library(engine: _Engine, library: Library, question: str | Question, **options: Any) -> Reply:
    """The most probable answers from all that is in a library: `engine.ask(question, library)`, and its options."""
    return engine.ask(question, library, **options)

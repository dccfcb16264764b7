"""What `caveat index` makes of sources: an index where they are all triples, as it always was, and else a library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from caveat.answerers.knowledge.index.build import IndexReport, Through, build_index, unwatched
from caveat.core.errors import CaveatError, UsageError
from caveat.core.files import PathLike, is_device
from caveat.library.library import Added, Library
from caveat.library.storage import read_manifest
from caveat.sources.triples import MENTIONS, is_index, is_knowledge, look_at

__all__ = ["index"]

# Columns may be triples, or a table: `look_at` takes them for triples by their ending alone.
_TABLES = (".csv", ".tsv", ".tab")


def index(
    sources: Sequence[PathLike],
    out: PathLike,
    *,
    format: str | None = None,
    skip_bad: bool = False,
    strict: bool = False,
    processes: int | None = None,
    through: Through = unwatched,
) -> IndexReport | Added:
    """Put sources into the folder `out`: triples alone into an index, in place of one that is there, all else into a
    library, beside what is there.

    `format` and `skip_bad` are for triples, and say that the sources are; `strict` and `processes` are for a library
    (see `Library.add`).
    """
    if not sources:
        raise UsageError("There is nothing to index: name at least one file or folder.")
    if format is not None or skip_bad or (read_manifest(out) is None and all(map(_is_triples, sources))):
        return build_index(sources, out, format=format, skip_bad=skip_bad, through=through)
    if is_index(out):
        raise UsageError(f"{out} is an index of triples: a library needs a folder of its own.")
    missing = [source for source in sources if not Path(source).exists() and "://" not in str(source)]
    if missing:
        raise UsageError(f"{missing[0]} cannot be opened: there is no such file.")

    def watched(tasks: Iterable[Any]) -> Iterable[Any]:
        files = list(tasks)
        return through(files, "reading", len(files))

    return Library.create(out).add(sources, strict=strict, processes=processes, through=watched)


def _is_triples(source: PathLike) -> bool:
    """Whether a file is one of triples or a mention list; what is no file is for the index to say."""
    path = Path(source)
    if str(source) == "-" or is_device(path) or not path.exists():
        return "://" not in str(source)
    if path.is_dir():
        return False
    try:
        if is_knowledge(path):
            return True
        plain = path.name.lower().removesuffix(".gz")
        return not plain.endswith(_TABLES) and look_at(path).format == MENTIONS
    except CaveatError:
        return False

"""Triples to look things up in, whether they are indexed already or stand in a file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from caveat.answerers.knowledge.index.build import Through, build_index, unwatched
from caveat.answerers.knowledge.index.layout import is_index
from caveat.answerers.knowledge.index.store import KnowledgeStore
from caveat.core.files import PathLike
from caveat.sources.triples import looks_like_triples

__all__ = ["is_knowledge", "open_knowledge"]


def is_knowledge(path: PathLike) -> bool:
    """Whether a path is an index or a file of triples: by its name, or by what its first lines hold."""
    if is_index(path):
        return True
    return str(path) != "-" and Path(path).is_file() and looks_like_triples(path)


def open_knowledge(
    *sources: PathLike, format: str | None = None, skip_bad: bool = False, through: Through = unwatched
) -> KnowledgeStore:
    """An index that `build_index` has made, or files of triples and mention lists, which are indexed for this once."""
    if len(sources) == 1 and is_index(sources[0]):
        return KnowledgeStore.open(sources[0])
    # The file stays readable as long as it is mapped, and is gone with the process, however that ends. Where a
    # mapped file cannot be taken away (Windows) it is left to the system.
    with tempfile.TemporaryDirectory(prefix="caveat-", ignore_cleanup_errors=True) as folder:
        build_index(sources, folder, format=format, skip_bad=skip_bad, through=through)
        return KnowledgeStore.open(folder)

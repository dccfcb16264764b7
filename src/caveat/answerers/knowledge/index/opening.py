"""Triples to look things up in, whether they are indexed already or stand in a file."""

from __future__ import annotations

import tempfile

from caveat.answerers.knowledge.index.build import Through, build_index, unwatched
from caveat.answerers.knowledge.index.store import KnowledgeStore
from caveat.core.files import PathLike
from caveat.sources.triples import is_index

__all__ = ["open_knowledge"]


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

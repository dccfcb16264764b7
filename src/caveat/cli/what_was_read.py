"""How many files of which kinds were read of folders and archives, and how many were not: one line at the end."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caveat.core.records import Remark
    from caveat.sources.gather import ReadSource

__all__ = ["what_was_read"]


def what_was_read(named: Iterable[str], read: Sequence[ReadSource], unread: Sequence[Remark]) -> str:
    """A sentence, or nothing where single files were named and all of them read."""
    from caveat.cli.terminal import plural

    files = {each.name: _kind(each) for each in read}
    if not unread and not any(os.path.isdir(name) or name.lower().endswith(".zip") for name in named):
        return ""
    said = f"{plural(len(files), 'file')} read ({_counted(files.values())})"
    if unread:
        kinds = _counted(PurePath(each.source).suffix.lower() or "without ending" for each in unread)
        said += f", {len(unread):,} not ({kinds})"
    return said


def _kind(read: ReadSource) -> str:
    from caveat.core.records import KnowledgeBase
    from caveat.sources.kinds import kind_by_ending

    if isinstance(read.source, KnowledgeBase):
        return "triples"
    kind = kind_by_ending(read.name)
    return "text" if kind is None else kind.name


def _counted(kinds: Iterable[str]) -> str:
    return ", ".join(f"{number:,} {kind}" for kind, number in sorted(Counter(kinds).items()))

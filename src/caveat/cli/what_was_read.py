"""How many files of which kinds were read of folders and archives, and how many were not: one line at the end."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caveat.core.records import Remark
    from caveat.render.words import Words
    from caveat.sources.gather import ReadSource

__all__ = ["what_was_read"]


def what_was_read(
    named: Iterable[str], read: Sequence[ReadSource], unread: Sequence[Remark], words: Words
) -> str:
    """A sentence, or nothing where single files were named and all of them read."""
    files = {each.name: _kind(each) for each in read}
    if not unread and not any(os.path.isdir(name) or name.lower().endswith(".zip") for name in named):
        return ""
    said = words.files_read[len(files) != 1].format(f"{len(files):,}", _counted(files.values(), words))
    if unread:
        kinds = (PurePath(each.source).suffix.lower() or words.without_ending for each in unread)
        said += words.files_unread.format(f"{len(unread):,}", _counted(kinds, words))
    return said + words.full_stop


def _kind(read: ReadSource) -> str:
    from caveat.core.records import KnowledgeBase
    from caveat.sources.kinds import kind_by_ending

    if isinstance(read.source, KnowledgeBase):
        return "triples"
    kind = kind_by_ending(read.name)
    return "text" if kind is None else kind.name


def _counted(kinds: Iterable[str], words: Words) -> str:
    return words.comma.join(f"{number:,} {kind}" for kind, number in sorted(Counter(kinds).items()))

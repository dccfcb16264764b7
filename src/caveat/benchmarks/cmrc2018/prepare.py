"""Prepare plain text files as CMRC 2018 prepared its passages, and write them in its layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from caveat.benchmarks.cmrc2018.preparation import DroppedPassage, PreparedPassage, prepare, to_passages
from caveat.benchmarks.squad import format as squad
from caveat.core.files import PathLike, read_text
from caveat.core.json_files import write_json_lines

__all__ = ["Preparation", "prepare_files"]


class Preparation(msgspec.Struct, frozen=True):
    """How many passages were written, and how many were dropped for which reason."""

    passages: int
    dropped: dict[str, int]


def prepare_files(
    files: Sequence[PathLike], out: PathLike, *, prefix: str = "TRAIN", drops: PathLike | None = None
) -> Preparation:
    """Write the passages of the files to `out` and, where `drops` is given, what was dropped as JSON lines."""
    kept: list[PreparedPassage] = []
    dropped: list[DroppedPassage] = []
    for passage in _prepared(files):
        if isinstance(passage, PreparedPassage):
            kept.append(passage)
        else:
            dropped.append(passage)
    squad.write(out, to_passages(kept, prefix), {"version": "v1.0"})
    if drops is not None:
        write_json_lines(drops, dropped)
    return Preparation(len(kept), dict(Counter(passage.reason for passage in dropped)))


def _prepared(files: Sequence[PathLike]) -> Iterator[PreparedPassage | DroppedPassage]:
    for path in files:
        yield from prepare(read_text(path), source="-" if str(path) == "-" else Path(path).name)

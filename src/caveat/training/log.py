"""Files of JSON lines that grow while a run goes on, a run's log among them, read again after it was killed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from caveat.core.errors import CaveatError
from caveat.core.json_files import encode, read_json_lines, write_json_lines
from caveat.core.loading import needs_extra
from caveat.core.part_files import locked

_DRAWN = {"exact_match": "exact match", "f1": "F1", "mrr": "MRR", "map": "MAP"}
T = TypeVar("T")


def append(path: Path, entry: dict[str, Any]) -> None:
    """Add an entry; every one has its `step`."""
    with open(path, "a", encoding="utf-8") as out:
        out.write(encode(entry) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """All entries."""
    return [entry for _, entry in read_json_lines(path, dict[str, Any])]


def rewind(path: Path, step: int) -> None:
    """Forget what came after a step, and the final scores: a resumed run does and measures it again."""
    if path.exists():
        drop_half_line(path)
        write_json_lines(
            path, [entry for entry in read(path) if entry["step"] <= step and "final" not in entry]
        )


def drop_half_line(path: Path) -> None:
    """A run that was killed while it wrote has left part of a line, without its end."""
    with open(path, "rb+") as log:
        whole = log.read()
        log.truncate(whole.rfind(b"\n") + 1)


def plot(log: Path, picture: Path) -> None:
    """Loss and tuning scores over the steps."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra("A picture", "matplotlib", "plot")) from error
    entries = read(log)
    losses = [(entry["step"], entry["loss"]) for entry in entries if "loss" in entry]
    tuning = [(entry["step"], entry["tuning"]) for entry in entries if "tuning" in entry]
    figure = Figure(figsize=(8, 7), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot([step for step, _ in losses], [loss for _, loss in losses], color="tab:gray", linewidth=1)
    above.set_ylabel("loss")
    curves: dict[str, list[tuple[int, float]]] = {}
    for step, scores in tuning:
        for label, score in _figures(scores):
            curves.setdefault(label, []).append((step, score))
    for label, points in curves.items():
        below.plot([step for step, _ in points], [score for _, score in points], marker="o", label=label)
    below.set_ylabel("tuning set")
    below.set_xlabel("step")
    if curves:
        below.legend()
    figure.savefig(picture)


def _figures(scores: Mapping[str, Any], of: str = "") -> Iterator[tuple[str, float]]:
    """Exact match and F1, or MRR and MAP, among scores, and in the groups that they may have."""
    for name, score in scores.items():
        if isinstance(score, Mapping):
            yield from _figures(score, f"{name} ")
        elif name in _DRAWN and score is not None:
            yield of + _DRAWN[name], score


def kept_lines(path: Path, type: type[T]) -> list[T]:
    """The records that are there; a last line without its end was being written, and is cut off."""
    if not path.exists():
        return []
    drop_half_line(path)
    return [record for _, record in read_json_lines(path, type)]


@contextmanager
def growing(path: Path) -> Iterator[Callable[[object], None]]:
    """What adds a record to the file; it is on the disk when that returns."""
    with path.open("ab") as stream:

        def append(record: object) -> None:
            stream.write(msgspec.json.encode(record) + b"\n")
            stream.flush()
            os.fsync(stream.fileno())

        yield append


# A run's folder: one process at a time writes to it, and what a killed one left half-written is taken away.

EXPORTING = ".export-"
"""How the temporary folders begin in which a model's files are put together."""


@contextmanager
def locked_run(folder: Path) -> Iterator[None]:
    """Make the folder, if need be, and hold it; raises where another process does."""
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        for left in folder.glob(f"{EXPORTING}*"):
            shutil.rmtree(left, ignore_errors=True)
        for left in folder.glob(".*.part"):
            left.unlink(missing_ok=True)
        try:
            yield
        finally:
            if made:
                with suppress(OSError):  # something is in it, unless the run never began
                    folder.rmdir()

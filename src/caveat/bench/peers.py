"""The peers of a benchmark: what their environments need, and their figures beside Caveat's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from caveat.bench.measure import in_ratio

__all__ = ["Cell", "Peer", "left_out", "with_ratios"]

Cell = str | float | None
Course = TypeVar("Course")


class Peer(msgspec.Struct, frozen=True):
    """Another reader or ranker: what its environment needs, and the script that runs in it."""

    packages: str
    script: Path


def left_out(name: str, peer: Peer, reason: str) -> str:
    """Why a peer is not in the table, and how it would be."""
    return (
        f"{name} is left out: {reason}. An environment for it: `python -m venv peers/{name}`, then "
        f"`peers/{name}/bin/pip install {peer.packages}`, then `--{name} peers/{name}/bin/python`."
    )


def with_ratios(
    label: str,
    courses: Mapping[str, Course],
    columns: Sequence[str],
    show: Callable[[Course], Cell],
    times: Callable[[Course], list[float]],
) -> tuple[Cell, ...]:
    """A row: ours, which is the first of the columns, and each peer's figure with its ratio to ours and the spread.

    A ratio is above 1 where Caveat is better.
    """
    ours = courses[columns[0]]
    cells: list[Cell] = [label, show(ours)]
    for name in columns[1:]:
        if (course := courses.get(name)) is None:
            cells += [None, None, None]
            continue
        cells += [show(course), *in_ratio(times(course), times(ours))]
    return tuple(cells)

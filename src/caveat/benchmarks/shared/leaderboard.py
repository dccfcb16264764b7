"""Published scores as CodaLab's competitions write them: one file a leaderboard, one entry a submission."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from caveat.benchmarks.shared.described_sets import DescribedSets
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json

__all__ = ["Published", "read_leaderboards"]

_FILE = re.compile(r"(?P<board>.*?)(?:-results)?\.json(?:\.gz)?", re.IGNORECASE)
_MEASURES = {"em": "exact_match", "f1": "f1"}


class _Submission(msgspec.Struct):
    description: str
    encoder: str = ""


class _Entry(msgspec.Struct):
    submission: _Submission
    scores: dict[str, float | None]


class _Board(msgspec.Struct):
    leaderboard: list[_Entry]


class Published(msgspec.Struct, frozen=True):
    """A submission: its encoder, where one is said, and set → measure → score."""

    name: str
    encoder: str
    scores: dict[str, dict[str, float]]


def read_leaderboards(folder: PathLike, sets: DescribedSets) -> list[Published]:
    """The submissions of all leaderboards in a folder, by their descriptions; those without a score have none.

    `ood-test-results.json` holds scores on the test portions: the end of a board's name says so.
    """
    if not Path(folder).is_dir():
        raise InputError("is no folder of leaderboards", path=folder)
    boards = [
        (path, named) for path in sorted(Path(folder).iterdir()) if (named := _FILE.fullmatch(path.name))
    ]
    if not boards:
        raise InputError("has no leaderboard (*-results.json or *-results.json.gz)", path=folder)
    encoders: dict[str, str] = {}
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for path, named in boards:
        for entry in read_json(path, _Board).leaderboard:
            name = " ".join(entry.submission.description.split())
            encoders[name] = entry.submission.encoder or encoders.get(name) or sets.encoder_in(name)
            mine = scores.setdefault(name, {})
            for figure, value in entry.scores.items():
                stem, _, measure = figure.rpartition("_")
                if value is not None and measure in _MEASURES:
                    mine.setdefault(sets.key(stem, named["board"]), {})[_MEASURES[measure]] = value
    return [Published(name, encoders[name], mine) for name, mine in scores.items()]

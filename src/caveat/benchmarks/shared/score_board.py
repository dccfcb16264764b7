"""The scores of several systems on several sets, what is averaged, and the tables that papers print of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from caveat.benchmarks.shared.count_tables import Cell, Table, mean
from caveat.benchmarks.shared.described_sets import DescribedSets
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json

# Group of questions → measure → score; the group "" is all questions of the set.
Figures = Mapping[str, Mapping[str, float | None]]
# Groups that stand for all questions where a scorer has no figures beside its groups.
_WHOLE = ("total", "all")
# Sets that are in no split: beside those that are, and where there are no splits.
_OTHER, _EACH = "other sets", "each set"
_SHORT = {"em": "EM", "f1": "F1", "mrr": "MRR", "map": "MAP"}


class System(msgspec.Struct, frozen=True):
    """Whoever answered: one whose predictions were scored here, or one with published scores."""

    name: str
    encoder: str = ""
    published: bool = False


class SplitSets(msgspec.Struct, frozen=True):
    """Sets that are averaged, each weighing the same."""

    name: str
    sets: tuple[str, ...]


class Average(msgspec.Struct, frozen=True):
    """A macro average, and over how many of the sets that it should be over."""

    value: float | None
    sets: int
    of: int

    @property
    def complete(self) -> bool:
        return self.sets == self.of

    def cell(self) -> Cell:
        """As a table shows it: what is not over all sets says so."""
        if self.value is None or self.complete:
            return self.value
        return f"{self.value:.2f} ({self.sets} of {self.of})"


class Board(msgspec.Struct, frozen=True):
    """System → set → figures, in the order in which they are shown."""

    systems: tuple[System, ...]
    sets: tuple[str, ...]
    splits: tuple[SplitSets, ...]
    measure: str
    figures: Mapping[str, Mapping[str, Figures]]
    description: DescribedSets | None = None

    def value(self, system: str, set: str, group: str = "", measure: str = "") -> float | None:
        """A score, None where there is none."""
        return self.figures[system].get(set, {}).get(group, {}).get(measure or self.measure)

    def average(self, system: str, sets: Sequence[str]) -> Average:
        """The mean over those of the sets that the system has a score on."""
        values = [value for set in sets if (value := self.value(system, set)) is not None]
        return Average(mean(values), len(values), len(sets))

    def shown_splits(self) -> tuple[SplitSets, ...]:
        """The splits that some system has a score in."""
        return tuple(split for split in self.splits if self._scored(split.sets))

    def widest_splits(self) -> tuple[SplitSets, ...]:
        """Of the shown ones those that are not part of another: a set is in one of them only."""
        shown = self.shown_splits()
        return tuple(one for one in shown if not any({*one.sets} < {*other.sets} for other in shown))

    def shown_groups(self) -> list[str]:
        """All questions first, then the groups that scorers tell apart."""
        return list(
            dict.fromkeys(
                group
                for sets in self.figures.values()
                for figures in sets.values()
                for group in ("", *figures)
            )
        )

    def label(self, set: str) -> str:
        """A set in a table that says which portion it is about."""
        described = self.description and self.description.traits_of(set)
        return set.rpartition(" ")[0] if described else set

    def _scored(self, sets: Iterable[str]) -> bool:
        return any(self.value(system.name, set) is not None for system in self.systems for set in sets)


def figures_of(scores: Mapping[str, Any]) -> dict[str, dict[str, float | None]]:
    """What a scorer returned, by groups; counts are left out."""
    groups = {
        name: measures
        for name, group in scores.items()
        if isinstance(group, Mapping) and (measures := _measures(group))
    }
    whole = _measures(scores) or next((groups.pop(name) for name in _WHOLE if name in groups), {})
    return {"": whole, **groups}


def _measures(scores: Mapping[str, Any]) -> dict[str, float | None]:
    return {name: value for name, value in scores.items() if isinstance(value, float)}


def measure_name(measure: str) -> str:
    """A measure as the papers write it."""
    return " ".join(_SHORT.get(word, word) for word in measure.replace("exact_match", "em").split("_"))


def tables_of(board: Board) -> Iterator[Table]:
    """Averages, averages by trait and by encoder, then every set with all its measures."""
    measure = measure_name(board.measure)
    splits = board.shown_splits()
    if splits:
        columns = [f"{split.name} ({len(split.sets)})" for split in splits]
        rows = [(_label(system), [split.sets for split in splits], system.name) for system in board.systems]
        yield _improved(
            Table(f"Macro-averaged {measure}", ("system", *columns), _average_rows(board, rows)), board
        )
    if board.description:
        for split in board.widest_splits():
            yield _trait_table(board, split, measure)
        if any(system.encoder for system in board.systems):
            yield _encoder_table(board, splits, measure)
    widest = board.widest_splits()
    others = tuple(set for set in board.sets if not any(set in split.sets for split in widest))
    for split in (*widest, *([SplitSets(_OTHER if widest else _EACH, others)] if others else ())):
        for group in board.shown_groups():
            if table := _set_table(board, split, group):
                yield table


def _label(system: System) -> str:
    return f"{system.name} †" if system.published else system.name


def _average_rows(
    board: Board, rows: Iterable[tuple[str, Iterable[Sequence[str]], str]]
) -> tuple[tuple[Cell, ...], ...]:
    averaged = (
        (label, [board.average(system, sets).cell() for sets in columns]) for label, columns, system in rows
    )
    return tuple((label, *cells) for label, cells in averaged if any(cell is not None for cell in cells))


def _improved(table: Table, board: Board) -> Table:
    """The table with the improvement of its last average over the baseline's, where the baseline is on the board."""
    says = board.description.baseline if board.description else ""
    named = (system for system in board.systems if says and re.search(says, system.name, re.IGNORECASE))
    if (baseline := next(named, None)) is None:
        return table
    last = {str(row[0]): row[-1] for row in table.rows}
    floor = last.get(_label(baseline))
    if not isinstance(floor, float):
        return table
    rows = ((*row, value - floor if isinstance(value := row[-1], float) else None) for row in table.rows)
    return Table(table.name, (*table.columns, f"over {_label(baseline)}"), tuple(rows))


def _trait_table(board: Board, split: SplitSets, measure: str) -> Table:
    """Macro averages over the sets of a split that have a trait in common."""
    assert board.description is not None
    groups: dict[tuple[str, str], list[str]] = {}
    for set in split.sets:
        for trait, value in board.description.traits_of(set).items():
            groups.setdefault((trait, value), []).append(set)
    traits = list(dict.fromkeys(trait for trait, _ in groups))
    ordered = sorted(groups.items(), key=lambda item: traits.index(item[0][0]))
    columns = [f"{trait}: {value} ({len(sets)})" for (trait, value), sets in ordered]
    rows = [(_label(system), [sets for _, sets in ordered], system.name) for system in board.systems]
    return Table(
        f"{measure} by source and dependence, {split.name}",
        ("system", *columns),
        _average_rows(board, rows),
    )


def _encoder_table(board: Board, splits: Sequence[SplitSets], measure: str) -> Table:
    """The mean of the averages of the systems with one encoder; over complete averages where there are any."""
    encoders: dict[str, list[str]] = {}
    for system in board.systems:
        if system.encoder:
            encoders.setdefault(system.encoder, []).append(system.name)
    rows: list[tuple[Cell, ...]] = []
    for encoder, systems in encoders.items():
        cells: list[Cell] = [encoder, len(systems)]
        for split in splits:
            found = [one for name in systems if (one := board.average(name, split.sets)).value is not None]
            whole = [one for one in found if one.complete]
            value = mean(one.value for one in whole or found if one.value is not None)
            cells.append(value if value is None or whole else f"{value:.2f} (incomplete)")
        rows.append(tuple(cells))
    columns = ("encoder", "systems", *(split.name for split in splits))
    return Table(f"Macro-averaged {measure} by encoder", columns, tuple(rows))


def _set_table(board: Board, split: SplitSets, group: str) -> Table | None:
    """Every measure on every set of a split, of all questions or of one group; None if there is no score."""
    columns = [
        (set, measure)
        for set in split.sets
        for measure in dict.fromkeys(
            measure
            for system in board.systems
            for measure in board.figures[system.name].get(set, {}).get(group, {})
        )
    ]
    if not columns:
        return None
    alone = split.name == _EACH and len({set for set, _ in columns}) == 1
    names = [
        measure_name(measure) if alone else f"{board.label(set)} {measure_name(measure)}"
        for set, measure in columns
    ]
    rows = (
        (_label(system), *(board.value(system.name, set, group, measure) for set, measure in columns))
        for system in board.systems
    )
    title = columns[0][0] if alone else split.name
    return Table(
        f"{title}: {group.replace('_', ' ')}" if group else f"Scores on {title}",
        ("system", *names),
        tuple(row for row in rows if any(cell is not None for cell in row[1:])),
    )


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
    # Set → group of questions → measure → score, where groups are told apart.
    groups: dict[str, dict[str, dict[str, float]]] = {}


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


PAPER = "paper"
"""What stands for these figures where a folder of leaderboards could be named."""

_Groups = dict[str, dict[str, float]]


class PublishedFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where figures are from, and system → set → group of questions → measure → score (0–100)."""

    source: str
    systems: dict[str, dict[str, _Groups]]

    def entries(self) -> list[Published]:
        """The systems as a report has them; `total` is all questions of a set."""
        return [
            Published(
                name,
                "",
                {set: groups.get("total", {}) for set, groups in sets.items()},
                {
                    set: {group: found for group, found in groups.items() if group != "total"}
                    for set, groups in sets.items()
                },
            )
            for name, sets in self.systems.items()
        ]


def figures_in(path: str) -> PublishedFigures:
    """The figures of a file among the benchmarks, by its path from their folder."""
    data = files("caveat").joinpath("benchmarks", *path.split("/")).read_bytes()
    return msgspec.toml.decode(data, type=PublishedFigures)

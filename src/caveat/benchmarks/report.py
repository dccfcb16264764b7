"""Several systems on the sets of a benchmark: the tables of its paper, published scores beside, differences judged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from caveat.benchmarks.registry import task as find_task
from caveat.benchmarks.shared.comparison import Comparison, compare, comparison_tables
from caveat.benchmarks.shared.count_tables import Table
from caveat.benchmarks.shared.described_sets import DescribedSets, set_files
from caveat.benchmarks.shared.score_board import (
    PAPER,
    Average,
    Board,
    Published,
    SplitSets,
    System,
    figures_in,
    figures_of,
    read_leaderboards,
    tables_of,
)
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import Task, Through
from caveat.benchmarks.verbs import evaluate, evaluate_official
from caveat.core.errors import InputError, UnknownNameError, UsageError
from caveat.core.files import PathLike

# Enough for a p of 0.001 to come out alike with any seed.
RESAMPLES = 10_000
# Of fewer systems a correlation says nothing.
_CORRELATED = 4


class ScoredSet(msgspec.Struct, frozen=True):
    """A system's scores on a set, and how many of its questions had no prediction."""

    system: str
    set: str
    scores: dict[str, Any]
    missing: int = 0


class Point(msgspec.Struct, frozen=True):
    """A system's averages on two splits; `complete` if both are over all of their sets."""

    system: str
    published: bool
    across: float
    up: float
    complete: bool


class Report(msgspec.Struct, frozen=True):
    """All that is said of the systems; `tables` are for reading, the rest for programs and pictures."""

    task: str
    measure: str
    systems: tuple[System, ...]
    sets: tuple[str, ...]
    scored: tuple[ScoredSet, ...]
    # System → split → macro average.
    averages: dict[str, dict[str, Average]]
    tables: tuple[Table, ...]
    comparisons: tuple[Comparison, ...]
    # The axes of the scatter, and its points; none where there is nothing to set against each other.
    axes: tuple[str, str] | None
    points: tuple[Point, ...]
    # Set, or set and group → system → score.
    bars: dict[str, dict[str, float]]
    remarks: tuple[str, ...]

    def headlines(self) -> tuple[Table, ...]:
        """What is read first: averages, or of one set its scores; and what compares two systems."""
        compared = len({(one.first, one.second) for one in self.comparisons})
        scores = self.tables[: len(self.tables) - compared]
        return (*(scores[:1] if len(self.sets) > 1 else scores), *self.tables[len(scores) :])


def report(
    task: str,
    gold: PathLike | None = None,
    predictions: Mapping[str, PathLike] = {},
    *,
    published: PathLike | None = None,
    encoders: Mapping[str, str] = {},
    measure: str | None = None,
    official: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
    through: Through = iter,
) -> Report:
    """The tables for systems by name, each a folder with one prediction file a set, or one file for one set.

    `published` is a folder of leaderboards for a benchmark whose sets are described; `measure` is what is averaged and
    compared. Each two of the systems are compared by a paired bootstrap, unless `resamples` is 0.
    """
    found = find_task(task)
    description = found.sets() if found.sets else None
    if (gold is None) != (not predictions) or not (predictions or published):
        raise UsageError("A report needs gold data with predictions, or published scores.")
    boards = _published(found, published, description)
    if clash := [board.name for board in boards if board.name in predictions]:
        raise UsageError(f"There is a published system {clash[0]!r}: give yours another name.")
    known = [*predictions, *(board.name for board in boards)]
    for name in encoders:
        if name not in known:
            raise UnknownNameError("system", name, known)

    gold_files = set_files(gold, _name_of(description)) if gold is not None else {}
    if gold is not None and not gold_files:
        raise InputError("has no data file", path=gold)
    jobs, remarks = _jobs(gold_files, predictions, description)
    scored: dict[tuple[str, str], Scored] = {}
    for system, set, path in through(jobs):
        score = evaluate_official if official else evaluate
        scored[system, set] = score(task, gold_files[set], path)
    with_scores = [board for board in boards if board.scores]
    board = _board(scored, predictions, with_scores, encoders, description, measure)
    remarks += _remarks(scored, board, gold_files, boards)
    if boards and description is None and found.published:
        remarks.append(f"† is from {figures_in(found.published).source}.")
    comparisons, unjudged = compare(board, scored, tuple(predictions), resamples, seed, through)
    axes, points = _scatter(board)
    if axes is not None:
        remarks += _correlation(axes, points)
    return Report(
        task,
        board.measure,
        board.systems,
        board.sets,
        (
            *(ScoredSet(*key, one.scores, len(one.missing)) for key, one in scored.items()),
            *(
                ScoredSet(one.name, set, dict(found))
                for one in with_scores
                for set, found in one.scores.items()
            ),
        ),
        _averages(board),
        (*tables_of(board), *comparison_tables(comparisons)),
        comparisons,
        axes,
        points,
        _bars(board),
        (*remarks, *unjudged),
    )


def _published(task: Task, published: PathLike | None, description: DescribedSets | None) -> list[Published]:
    """The leaderboards of a folder, or for `paper` the figures that come with the package."""
    if published is None:
        return []
    if str(published) == PAPER and task.published:
        return figures_in(task.published).entries()
    if description is None:
        figures = (
            f"its paper's figures are --published {PAPER}" if task.published else "nor figures of its paper"
        )
        raise UsageError(f"The task {task.name} has no published leaderboards that could be read; {figures}.")
    return read_leaderboards(published, description)


def _name_of(description: DescribedSets | None) -> Any:
    if description:
        return description.key
    return lambda stem, folder: f"{folder}/{stem}" if folder else stem


def _jobs(
    gold: Mapping[str, Path], predictions: Mapping[str, PathLike], description: DescribedSets | None
) -> tuple[list[tuple[str, str, Path]], list[str]]:
    """What is to be scored, and what cannot be for want of a file."""
    jobs: list[tuple[str, str, Path]] = []
    remarks: list[str] = []
    for system, place in predictions.items():
        if len(gold) == 1 and Path(place).is_file():
            jobs.append((system, next(iter(gold)), Path(place)))
            continue
        files = set_files(place, _name_of(description))
        if not (both := [set for set in gold if set in files]):
            expected = f"for {', '.join(gold)}; found {', '.join(files) or 'none'}"
            raise InputError(f"has no prediction file {expected}", path=place)
        jobs += [(system, set, files[set]) for set in both]
        if lacking := [set for set in gold if set not in files]:
            remarks.append(f"{system} has no predictions for {', '.join(lacking)}.")
        if surplus := [set for set in files if set not in gold]:
            remarks.append(f"{system} has predictions without gold data, left out: {', '.join(surplus)}.")
    return jobs, remarks


def _board(
    scored: Mapping[tuple[str, str], Scored],
    own: Mapping[str, PathLike],
    published: Sequence[Published],
    encoders: Mapping[str, str],
    description: DescribedSets | None,
    measure: str | None,
) -> Board:
    figures: dict[str, dict[str, Any]] = {name: {} for name in own}
    for (system, set), one in scored.items():
        figures[system][set] = figures_of(one.scores)
    for entry in published:
        figures[entry.name] = {
            set: {"": found, **entry.groups.get(set, {})} for set, found in entry.scores.items()
        }
    present = list(dict.fromkeys(set for sets in figures.values() for set in sets))
    if description:
        order = [f"{name} {portion}" for portion in ("dev", "test") for name in description.sets]
        present.sort(key=lambda set: order.index(set) if set in order else len(order))
        splits = tuple(SplitSets(split.name, description.keys_of(split)) for split in description.splits)
    else:
        # A paper's sets are not those at hand: nothing is averaged over both.
        splits = (SplitSets("all sets", tuple(present)),) if len(present) > 1 and not published else ()
    systems = [System(name, encoders.get(name, "")) for name in own]
    systems += [System(entry.name, encoders.get(entry.name) or entry.encoder, True) for entry in published]
    chosen = _chosen_measure(figures, description, measure)
    board = Board(tuple(systems), tuple(present), splits, chosen, figures, description)

    def rank(system: System) -> tuple[bool, float]:
        averages = [board.average(system.name, split.sets) for split in reversed(splits)]
        last = next((one.value for one in averages if one.value is not None and one.complete), 0.0)
        return system.published, -last if system.published else 0.0

    return msgspec.structs.replace(board, systems=tuple(sorted(systems, key=rank)))


def _chosen_measure(
    figures: Mapping[str, Mapping[str, Any]], description: DescribedSets | None, measure: str | None
) -> str:
    there = dict.fromkeys(
        name
        for sets in figures.values()
        for groups in sets.values()
        for found in groups.values()
        for name in found
    )
    if measure is not None and measure not in there:
        raise UnknownNameError("measure", measure, list(there))
    usual = (measure, description.measure if description else None, "f1")
    return next((name for name in usual if name in there and name is not None), next(iter(there), "f1"))


def _remarks(
    scored: Mapping[tuple[str, str], Scored],
    board: Board,
    gold: Mapping[str, Path],
    published: Sequence[Published],
) -> Iterator[str]:
    """What is missing anywhere: predictions, sets of a split, published scores."""
    for (system, set), one in scored.items():
        if one.missing:
            yield f"{system} has no prediction for {len(one.missing):,} of the questions of {set}."
        if one.unknown:
            yield f"{system} has {len(one.unknown):,} predictions for {set} that are for no question of it: ignored."
    if gold and board.description:
        for split in board.splits:
            lacking = [board.label(set) for set in split.sets if set not in gold]
            if 0 < len(lacking) < len(split.sets):
                yield (
                    f"There is gold data for {len(split.sets) - len(lacking)} of the {len(split.sets)} sets of "
                    f"{split.name}; without: {', '.join(lacking)}."
                )
        described = {set for split in board.splits for set in split.sets}
        if others := [set for set in gold if set not in described]:
            yield f"In no average, since the benchmark does not have them: {', '.join(others)}."
    for entry in published:
        partly = [split.name for split in board.splits if not {*split.sets} <= {*entry.scores}]
        if entry.scores and partly:
            yield f"{entry.name} has not all published scores of {', '.join(partly)}."
    unsaid = [system.name for system in board.systems if not system.encoder]
    if board.description and 0 < len(unsaid) < len(board.systems):
        yield f"Not in the table by encoder, since theirs is not said: {', '.join(unsaid)}."
    if empty := [one.name for one in published if not one.scores]:
        yield f"Submissions without any published score, left out: {', '.join(empty)}."


def _averages(board: Board) -> dict[str, dict[str, Average]]:
    splits = board.shown_splits()
    return {
        system.name: {split.name: board.average(system.name, split.sets) for split in splits}
        for system in board.systems
    }


def _scatter(board: Board) -> tuple[tuple[str, str] | None, tuple[Point, ...]]:
    """The averages of two splits against each other: those that the systems scored here have, if there are such."""
    if board.description is None:
        return None, ()
    sets = {split.name: split.sets for split in board.splits}
    own = [system for system in board.systems if not system.published] or list(board.systems)
    wanted = board.description.scatter

    def first(names: Sequence[str]) -> str | None:
        scored = (
            name
            for name in names
            if any(board.average(system.name, sets[name]).value is not None for system in own)
        )
        return next(scored, None)

    across, up = first(wanted.across), first(wanted.up)
    if across is None or up is None:
        return None, ()
    points = []
    for system in board.systems:
        one, other = board.average(system.name, sets[across]), board.average(system.name, sets[up])
        if one.value is not None and other.value is not None:
            complete = one.complete and other.complete
            points.append(Point(system.name, system.published, one.value, other.value, complete))
    return (across, up), tuple(points)


def _correlation(axes: tuple[str, str], points: Sequence[Point]) -> Iterator[str]:
    """How far the averages of two splits go together, over the systems that have both whole (section 6.1 of MRQA's)."""
    whole = [(point.across, point.up) for point in points if point.complete]
    if len(whole) >= _CORRELATED:
        across, up = (list(values) for values in zip(*whole, strict=True))
        yield (
            f"{axes[0]} and {axes[1]} over {len(whole)} systems: Pearson's r {pearson(across, up):.3f}, "
            f"Spearman's rho {pearson(ranks(across), ranks(up)):.3f}."
        )


def pearson(left: Sequence[float], right: Sequence[float]) -> float:
    """The linear correlation of two series; 0 where one does not vary."""
    middle, other = sum(left) / len(left), sum(right) / len(right)
    together = sum((x - middle) * (y - other) for x, y in zip(left, right, strict=True))
    spread = math.sqrt(sum((x - middle) ** 2 for x in left) * sum((y - other) ** 2 for y in right))
    return together / spread if spread else 0.0


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1, equal ones at the mean of theirs."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def _bars(board: Board) -> dict[str, dict[str, float]]:
    bars: dict[str, dict[str, float]] = {}
    for set in board.sets:
        for group in board.shown_groups():
            scores = {
                system.name: value
                for system in board.systems
                if (value := board.value(system.name, set, group)) is not None
            }
            if scores:
                bars[f"{set}: {group.replace('_', ' ')}" if group else set] = scores
    return bars

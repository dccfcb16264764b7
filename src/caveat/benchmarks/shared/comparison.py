"""Systems compared two by two on the questions that both answered: each set, each group of a set, each average."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import isclose
from typing import Any

import msgspec

from caveat.benchmarks.shared.bootstrap import Difference, Floats, judge, resampled_differences
from caveat.benchmarks.shared.count_tables import Cell, Table
from caveat.benchmarks.shared.score_board import Board, measure_name
from caveat.benchmarks.shared.scores import Scored

__all__ = ["Comparison", "compare", "comparison_tables"]

# Group of questions → id → the question's own score.
Values = dict[str, dict[str, float]]


class Comparison(msgspec.Struct, frozen=True):
    """Two systems on a set, on a group of its questions, or on the average of a split (then `set` is empty)."""

    first: str
    second: str
    set: str
    group: str
    split: str
    questions: int
    measure: str
    difference: float
    low: float
    high: float
    p: float


def compare(
    board: Board,
    scored: Mapping[tuple[str, str], Scored],
    systems: Sequence[str],
    resamples: int,
    seed: int,
    through: Callable[[Iterable[Any]], Iterable[Any]],
) -> tuple[tuple[Comparison, ...], list[str]]:
    """Each two systems wherever both have scores, and remarks on the sets where that cannot be judged."""
    pairs = list(combinations(systems, 2)) if resamples else []
    if not pairs:
        return (), []
    values = {key: _values(board, *key, one) for key, one in scored.items()}
    found: list[Comparison] = []
    for first, second in through(pairs):
        both = {
            set: (values[first, set], values[second, set])
            for set in board.sets
            if (first, set) in values and (second, set) in values
        }
        for comparison, difference in _compared(board, both, resamples, seed):
            found.append(
                Comparison(first, second, *comparison, board.measure, *msgspec.structs.astuple(difference))
            )
    unjudged = dict.fromkeys(set for (_, set), groups in values.items() if not groups)
    name = measure_name(board.measure)
    remarks = [
        f"{name} on {set} is no mean over questions: no difference is judged there." for set in unjudged
    ]
    return tuple(found), remarks


# Set, group, split, and how many questions.
Where = tuple[str, str, str, int]


def _compared(
    board: Board, both: Mapping[str, tuple[Values, Values]], resamples: int, seed: int
) -> Iterator[tuple[Where, Difference]]:
    """Two systems on the sets that both have, then on the averages over several of these."""
    drawn: dict[str, tuple[float, Floats, int]] = {}
    for set, (ones, others) in both.items():
        for group, scores in ones.items():
            shared = [id for id in scores if id in others.get(group, {})]
            if not shared:
                continue
            apart = sum(scores[id] - others[group][id] for id in shared) / len(shared)
            resampled = resampled_differences(scores, others[group], resamples, seed, f"{set} {group}")
            yield (set, group, "", len(shared)), judge(apart, [resampled])
            if not group:
                drawn[set] = apart, resampled, len(shared)
    for split in board.splits:
        if len(members := [drawn[set] for set in split.sets if set in drawn]) > 1:
            complete = len(members) == len(split.sets)
            name = split.name if complete else f"{split.name} ({len(members)} of {len(split.sets)})"
            apart = sum(apart for apart, _, _ in members) / len(members)
            questions = sum(count for _, _, count in members)
            yield ("", "", name, questions), judge(apart, [resampled for _, resampled, _ in members])


def _values(board: Board, system: str, set: str, scored: Scored) -> Values:
    """The questions' own scores by group; none at all where some score is not the mean of these."""
    values: Values = {}
    for group, figures in board.figures[system][set].items():
        if (whole := figures.get(board.measure)) is None:
            continue
        mine = {
            detail["id"]: value
            for detail in scored.details
            if isinstance(value := _value(detail, group, board.measure), float)
        }
        if not mine or not isclose(sum(mine.values()) / len(mine), whole, abs_tol=1e-6):
            return {}
        values[group] = mine
    return values


def _value(detail: Mapping[str, Any], group: str, measure: str) -> Any:
    """A question's own score in a group: under the group's name, or its own if it is of the group."""
    inside = detail.get(group)
    if isinstance(inside, Mapping):
        return inside.get(measure)
    return detail.get(measure) if not group or group in detail.get("groups", ()) else None


def comparison_tables(comparisons: Iterable[Comparison]) -> Iterator[Table]:
    """One table a pair of systems."""
    pairs: dict[tuple[str, str, str], list[tuple[Cell, ...]]] = {}
    for one in comparisons:
        where = f"average: {one.split}" if one.split else one.set
        where += f", {one.group.replace('_', ' ')}" if one.group else ""
        row = (where, one.questions, one.difference, one.low, one.high, f"{one.p:.4f}")
        pairs.setdefault((one.first, one.second, one.measure), []).append(row)
    for (first, second, measure), rows in pairs.items():
        yield Table(
            f"{first} less {second}: {measure_name(measure)}, 95 % interval of a paired bootstrap",
            ("", "questions", "difference", "from", "to", "p"),
            tuple(rows),
        )

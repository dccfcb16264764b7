"""Systems compared two by two on the questions that both answered: each set, each group of a set, each average.

Whether a difference is real is judged by a paired bootstrap over the questions of a set: Efron and Tibshirani 1993,
chapters 13 and 16. A resample of a set takes as many questions as it has, with replacement, the same ones for both
systems; an average over sets is resampled within each set.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import isclose
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.benchmarks.shared.count_tables import Cell, Table
from caveat.benchmarks.shared.score_board import Board, measure_name
from caveat.benchmarks.shared.scores import Scored

_TAILS = (2.5, 97.5)
Floats = NDArray[np.float64]


class Difference(msgspec.Struct, frozen=True):
    """The first system's score less the second's, its 95 % interval, and a two-sided p."""

    difference: float
    low: float
    high: float
    p: float


def resampled_differences(
    first: Mapping[Any, float], second: Mapping[Any, float], resamples: int, seed: int, name: str
) -> Floats:
    """The mean difference over the questions that both have, in each resample.

    `name` is that of the set: two sets draw independently, and a set draws alike whatever else is compared.
    """
    apart = np.array([first[id] - second[id] for id in first if id in second], dtype=np.float64)
    # How often each value is drawn is all that a mean depends on, and there are far fewer values than questions.
    values, counts = np.unique(apart, return_counts=True)
    generator = np.random.default_rng([seed, zlib.crc32(name.encode("utf-8"))])
    drawn = generator.multinomial(apart.size, counts / apart.size, size=resamples)
    means: Floats = drawn @ values / apart.size
    return means


def judge(difference: float, resampled: Sequence[Floats] | Iterable[Floats]) -> Difference:
    """A difference with its interval and p; of several sets the average of their resampled differences."""
    means = np.mean(np.stack(list(resampled)), axis=0)
    low, high = (float(value) for value in np.percentile(means, _TAILS))
    # A value beside zero by rounding alone is zero; one is added so that no p is 0, which no finite sample can show.
    below, above = int(np.sum(means <= 1e-9)), int(np.sum(means >= -1e-9))
    return Difference(difference, low, high, min(1.0, 2 * (1 + min(below, above)) / (1 + means.size)))


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

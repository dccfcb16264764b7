"""What every metric family returns, and the one place that says which predictions are missing."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any, TypeVar

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, write_json

__all__ = [
    "Scored",
    "first_questions",
    "missing_and_unknown",
    "percentage",
    "read_answers",
    "read_probabilities",
    "write_answers",
]


class Scored(msgspec.Struct, frozen=True):
    """Figures on 0–100 as `caveat eval --json` prints them, and what they were made of.

    `details` has one object for each question that was scored: its `id` and its own figures, under the names
    they have in `scores`.
    """

    scores: dict[str, Any]
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    details: tuple[dict[str, Any], ...] = ()


def missing_and_unknown(
    gold: Collection[str], predicted: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The gold ids without a prediction and the predicted ids without a gold, each in its file's order."""
    return (
        tuple(qid for qid in gold if qid not in predicted),
        tuple(qid for qid in predicted if qid not in gold),
    )


def percentage(values: Collection[float]) -> float | None:
    """The mean of figures on 0–1, added in the order given, on 0–100; None of nothing."""
    return 100 * (sum(values) / len(values)) if values else None


Gold = TypeVar("Gold")


def first_questions(gold: Mapping[str, Gold], count: int | None, path: PathLike) -> dict[str, Gold]:
    """The first `count` questions in the order of the file `path`, or all of them; there must be one."""
    if not gold:
        raise InputError("has no questions, so there is nothing to score", path=path)
    return dict(islice(gold.items(), count))


def read_answers(path: PathLike) -> dict[str, str]:
    """Id → predicted text."""
    return read_json(path, dict[str, str])


def write_answers(path: PathLike, answers: Mapping[str, str]) -> None:
    """Id → predicted text, as one JSON object."""
    write_json(path, dict(answers))


def read_probabilities(path: PathLike) -> dict[str, float]:
    """Id → probability that the question has no answer."""
    probabilities = read_json(path, dict[str, float])
    for id, value in probabilities.items():
        if not math.isfinite(value):
            raise InputError(f"expected a probability, got {value}", path=path, id=id)
    return probabilities

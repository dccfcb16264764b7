"""Predictions as one JSON object, id → text (mrqa, squad, squad2, cmrc2018), and no-answer probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, write_json

__all__ = ["read_answers", "read_probabilities", "write_answers"]


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

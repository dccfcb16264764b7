"""`caveat bench structure`: texts of a kind, and what is said about them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from caveat.bench import bench
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan
from caveat.core.errors import UsageError


def sample(length: int, spans: int) -> CmqaSample:
    """A text of red things with commas between, some of them labelled."""
    context = ("红，" * length)[:length]
    fine = tuple(LabelledSpan("红", 2 * place, 2 * place + 1) for place in range(spans))
    return CmqaSample(context, "色", fine=fine)


def written(path: Path, samples: list[CmqaSample]) -> Path:
    cmqa.write(path, samples)
    return path


def test_texts_of_200_characters_and_texts_of_many_spans(tmp_path: Path, tagger_folder: Path) -> None:
    data = written(
        tmp_path / "cmqa.jsonl", [*(sample(length, 3) for length in (20, 160, 240, 300)), sample(60, 25)]
    )
    seen: list[int] = []

    def watch(items: Iterable[Any], total: int) -> Iterable[Any]:
        seen.append(total)
        return items

    measured = bench(
        "structure", repeats=2, data={"zh": str(data)}, models={"zh": str(tagger_folder)}, watch=watch
    )
    assert seen == [2 * 3]
    assert [row[:3] for row in measured.rows] == [
        ("about 200 characters", 2, 200),
        ("25 gold spans or more", 1, 60),
    ]
    # The tiny tagger takes every 红 for a fine answer.
    assert [row[3] for row in measured.rows] == [100.0, 30.0]
    assert measured.rows[0][-1] == "1.0×"


def test_so_many_samples_evenly(tmp_path: Path, tagger_folder: Path) -> None:
    data = written(tmp_path / "cmqa.jsonl", [sample(150 + place, 1) for place in range(0, 100, 10)])
    measured = bench(
        "structure", repeats=1, questions=2, data={"zh": str(data)}, models={"zh": str(tagger_folder)}
    )
    # The first and the sixth: 150 and 200 characters.
    assert [row[1:3] for row in measured.rows] == [(2, 175)]


def test_what_cannot_be_measured(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--zh"):
        bench("structure")
    with pytest.raises(UsageError, match="no text of 150 to 250 characters"):
        bench("structure", data={"zh": str(written(tmp_path / "cmqa.jsonl", [sample(20, 1)]))})

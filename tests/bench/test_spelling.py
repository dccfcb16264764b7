"""The benchmark of typing errors, on a folder of pages written for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.bench import bench
from caveat.core.errors import InputError
from caveat.training.sampling import fold_of


def test_misspelt_questions_are_asked_with_and_without_correction(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "ferry.txt").write_text("The ferry leaves at nine. Tickets cost four pounds.")
    item = {
        "language": "en", "page": "ferry.txt", "repository": "quay/ferry", "question": "what do tickets cost",
        "scenario": None, "kind": "span", "answers": ["four pounds"],
    }  # fmt: skip
    (tmp_path / "items.jsonl").write_text(json.dumps(item) + "\n")
    fold = fold_of("quay/ferry", 5)
    measured = bench("spelling", folder=tmp_path, fold=fold)
    assert [row[:2] for row in measured.rows] == [
        ("as written", 1), ("misspelt, as typed", 1), ("misspelt, corrected", 1),
    ]  # fmt: skip
    assert "of 1 mistyped words were restored" in measured.notes[0]
    with pytest.raises(InputError, match="no questions of this fold"):
        bench("spelling", folder=tmp_path, fold=(fold + 1) % 5)

"""A run's folder that another process writes to, or that a killed one has left half-written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caveat.core.errors import CaveatError
from caveat.training.log import locked_run

BUSY = "is being written by another process at the moment"


def test_a_folder_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    with locked_run(tmp_path / "run"), pytest.raises(CaveatError, match=BUSY), locked_run(tmp_path / "run"):
        pass
    with locked_run(tmp_path / "run"):
        (tmp_path / "run" / "log.jsonl").touch()
    assert (tmp_path / "run" / "log.jsonl").exists()


def test_a_run_that_never_began_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match="no data"), locked_run(tmp_path / "run"):
        raise CaveatError("no data")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_half_written_is_taken_away(tmp_path: Path) -> None:
    (tmp_path / ".export-x1").mkdir()
    (tmp_path / ".export-x1" / "model.onnx").touch()
    (tmp_path / ".card.json.x2.part").touch()
    (tmp_path / "checkpoint.pt").touch()
    with locked_run(tmp_path):
        assert [each.name for each in tmp_path.iterdir()] == ["checkpoint.pt"]


def test_a_second_training_run_is_refused(short: dict[str, Any], data_file: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe
    from caveat.training.recipe import Phase
    from caveat.training.train import train

    recipe = ReaderRecipe(
        **short,
        data=(ReaderDataSet(path=data_file.name),),
        phases=(Phase(window=56, stride=12, batch_size=2, epochs=1),),
        max_question_tokens=24,
    )
    with locked_run(tmp_path / "run"), pytest.raises(CaveatError, match=BUSY):
        train(recipe, tmp_path / "run", data_root=data_file.parent, precisions=())
    train(recipe, tmp_path / "run", data_root=data_file.parent, precisions=())
    assert (tmp_path / "run" / "model").is_dir()

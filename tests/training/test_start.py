# ruff: noqa: E402
"""A run that begins with the weights of an earlier one."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")

from caveat.core.errors import CaveatError
from caveat.training.kinds.reader.network import load_reader, new_reader
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe
from caveat.training.loop import train_in_steps
from caveat.training.networks import begin_from, weights_of
from caveat.training.recipe import Phase


@pytest.fixture
def recipe(encoder_folder: Path, data_file: Path) -> ReaderRecipe:
    return ReaderRecipe(
        encoder=str(encoder_folder),
        data=(ReaderDataSet(path=data_file.name),),
        phases=(Phase(window=72, stride=20, batch_size=3, epochs=1.0),),
        learning_rate=2e-3,
        max_question_tokens=24,
        ema=0.9,
        freeze_embeddings=True,
        threads=1,
    )


def test_the_second_run_begins_where_the_first_ended(
    recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path / "first", data_root=data_file.parent)
    # A rate of next to nothing leaves the weights where the run began.
    second = msgspec.structs.replace(recipe, start=str(tmp_path / "first"), learning_rate=1e-12)
    train_in_steps(second, tmp_path / "second", data_root=data_file.parent)
    first, then = weights_of(tmp_path / "first"), weights_of(tmp_path / "second")
    assert first.keys() == then.keys()
    assert all(torch.allclose(first[name], then[name], atol=1e-7) for name in first)


def test_a_stopped_run_gives_its_averaged_weights(
    recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path / "whole", data_root=data_file.parent)
    at_its_end = load_reader(tmp_path / "whole" / "model")[0].state_dict()
    # The last checkpoint of the same run, as if it had been stopped there.
    (tmp_path / "stopped").mkdir()
    (tmp_path / "whole" / "checkpoint.pt").rename(tmp_path / "stopped" / "checkpoint.pt")
    reader, _ = new_reader(recipe.encoder)
    begin_from(reader, tmp_path / "stopped")
    ours = reader.state_dict()
    assert all(torch.equal(ours[name], at_its_end[name]) for name in at_its_end)


def test_only_the_encoder_can_be_taken(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    train_in_steps(recipe, tmp_path, data_root=data_file.parent)
    trained = weights_of(tmp_path)
    reader, _ = new_reader(recipe.encoder)
    before = reader.start[0].weight.detach().clone()  # type: ignore[index]
    begin_from(reader, tmp_path, part="encoder.")
    name = "encoder.encoder.layer.0.output.dense.weight"
    assert torch.equal(reader.state_dict()[name], trained[name])
    assert torch.equal(reader.state_dict()["start.0.weight"], before)


def test_several_runs_are_averaged(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        train_in_steps(
            msgspec.structs.replace(recipe, seed=number), tmp_path / str(number), data_root=data_file.parent
        )
    # One ended, one did not: its checkpoint has no frozen tables.
    (tmp_path / "2" / "model" / "model.safetensors").unlink()
    first, second = weights_of(tmp_path / "1"), weights_of(tmp_path / "2")
    reader, _ = new_reader(recipe.encoder)
    begin_from(reader, tmp_path / "1", tmp_path / "2")
    ours = reader.state_dict()
    assert first.keys() > second.keys()
    for name, value in first.items():
        expected = (value + second[name]) / 2 if name in second else value
        assert torch.allclose(ours[name], expected, atol=1e-6)
    # As a recipe says it.
    both = msgspec.structs.replace(
        recipe, start=(str(tmp_path / "1"), str(tmp_path / "2")), learning_rate=1e-12
    )
    train_in_steps(both, tmp_path / "both", data_root=data_file.parent)
    assert torch.allclose(weights_of(tmp_path / "both")["start.0.weight"], ours["start.0.weight"], atol=1e-6)


def test_a_folder_without_weights_is_told(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    lost = msgspec.structs.replace(recipe, start=str(tmp_path / "nowhere"))
    with pytest.raises(CaveatError, match="neither a trained model nor a checkpoint to start from"):
        train_in_steps(lost, tmp_path / "run", data_root=data_file.parent)


def test_weights_of_another_encoder_are_refused(recipe: ReaderRecipe, tmp_path: Path) -> None:
    torch.save({"weights": {"encoder.other": torch.zeros(2)}, "average": []}, tmp_path / "checkpoint.pt")
    reader, _ = new_reader(recipe.encoder)
    with pytest.raises(
        CaveatError, match=r"another encoder or with other heads: encoder\.other does not fit"
    ):
        begin_from(reader, tmp_path)
